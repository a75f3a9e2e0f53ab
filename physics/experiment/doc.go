// Package experiment measures how the bodies of the engines move, and compares the motion with a closed form if a
// closed form exists. Some experiments repeat those of papers on other simulators. The package also defines the figures
// and plots of all reports.
//
// Experiments build their own models, and return figures and curves. They do not measure wall time; the command
// omnipitch bench physics measures it.
//
//	out, err := experiment.Circle(physics.WheelsDrive, true)
//	fmt.Println(out.Figures[0].Name, out.Figures[0].Value, out.Figures[0].Unit)
package experiment
