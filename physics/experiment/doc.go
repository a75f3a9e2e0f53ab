// Package experiment measures the motion of an engine's bodies, and compares it with the closed form where there is
// one: the experiments of papers on other simulators, and further ones.
//
// Experiments take the function that creates an engine, build their own models, and return figures and curves. Nothing
// here measures wall time: omnipitch bench physics does.
//
//	out, err := experiment.Circle(ode.New, physics.WheelsDrive, true)
//	fmt.Println(out.Figures[0].Name, out.Figures[0].Value, out.Figures[0].Unit)
package experiment
