// Package assess measures the quality of a robot's vision. It compares the reports that the vision publishes while a
// world runs with the truth at the same stamps. The result contains numbers, plots, a map of the field and the worst
// frames, also as an HTML page.
//
// A report is the position of the robot itself, of the ball or of an obstacle according to the vision. A frame is one
// image of the vision's camera. Positions of things are in the robot's frame B (x forward, y left), poses in the map W,
// in metres and radians.
//
// The package does not pass or fail a run: a world's [[expect]] does, and the result shows its verdicts.
//
//	a, err := assess.New(world, assess.Config{Robot: "cyan1", Topics: []assess.Topic{{Name: "/cyan1/vision/ball"}}})
//	topics := robotio.NewTopics()
//	sim, err := omnipitch.New(world, omnipitch.Options{Topics: topics})
//	err = a.Follow(sim, topics)
//	report, err := sim.Run(ctx, pace)
//	result := a.Finish()
//	err = result.WritePage(file)
//
// An Assessment belongs to the goroutine that steps.
package assess
