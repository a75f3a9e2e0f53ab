// Package experiment measures how the bodies of the engines move, and compares the motion with a closed form where
// there is one. The experiments are those of papers on other simulators, and further ones. The package also defines the
// figures and plots of all reports.
//
// Experiments build their own models, and return figures and curves. Nothing here measures wall time: omnipitch bench
// physics does.
//
//	out, err := experiment.Circle(physics.WheelsDrive, true)
//	fmt.Println(out.Figures[0].Name, out.Figures[0].Value, out.Figures[0].Unit)
package experiment
