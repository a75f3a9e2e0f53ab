// Package calibration fits the camera models that vision software uses to one of ours, and writes their parameter
// files with what the fit leaves over. It looks at no picture: it asks the camera model itself, so it tells how well a
// published model can describe the camera, not how well somebody would have measured it.
//
// Pixels, radians and metres; optical frames as in package optics.
//
//	rays := calibration.Sample(model, 40)
//	fit, err := calibration.FitPinhole(rays)
//	fmt.Println(fit.FX, fit.Distortion, fit.Residual)
//	err = calibration.WriteOpenCV(os.Stdout, "cyan1.front", fit)
package calibration
