// Package calibration fits the camera models of vision software to a camera model of package optics, and writes their
// parameter files with the residuals of the fit. It uses the camera model itself instead of images. A residual
// therefore says how well a published model can describe the camera, not how accurately it could be measured. Colour
// tables are made from labelled pixels that the caller supplies.
//
// Units are pixels, radians and metres; optical frames are those of package optics.
//
//	rays := calibration.Sample(model, 40)
//	fit, err := calibration.FitPinhole(rays)
//	fmt.Println(fit.FX, fit.Distortion, fit.Residual)
//	err = calibration.WriteOpenCV(os.Stdout, "cyan1.front", fit)
package calibration
