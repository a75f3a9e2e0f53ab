// Package experiment measures how an engine's bodies move, against the closed form where there is one: what papers report
// of other simulators, and what a robot's developer asks of this one.
//
// Experiments take the function that starts an engine, build their own models, and return figures and curves. Nothing
// here reads a clock: how fast engines are, omnipitch bench physics measures itself.
//
//	out, err := experiment.Circle(ode.New, physics.WheelsDrive, true)
//	fmt.Println(out.Figures[0].Name, out.Figures[0].Value, out.Figures[0].Unit)
package experiment
