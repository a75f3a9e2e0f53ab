// Package calibration fits the camera models of vision software to a camera model of package optics, and writes their
// parameter files with the residuals of the fit. It uses no images, but the camera model itself: a residual says how
// well a published model can describe the camera, not how well it could be measured. Its colour tables are made of
// pixels that its caller knows the meaning of.
//
// Pixels, radians and metres; optical frames as in package optics.
//
//	rays := calibration.Sample(model, 40)
//	fit, err := calibration.FitPinhole(rays)
//	fmt.Println(fit.FX, fit.Distortion, fit.Residual)
//	err = calibration.WriteOpenCV(os.Stdout, "cyan1.front", fit)
package calibration
