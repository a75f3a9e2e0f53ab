// Package assess says how good a robot's vision is: it takes what the vision reports on topics while a world runs,
// joins that with the truth of the same stamp, and sums it up as numbers, plots, a map of the field and the worst
// frames, on one page.
//
// A report is where the vision says that the robot itself, the ball or an obstacle is. A frame is one image of the
// camera that the vision works with. Positions of things are in the robot's frame B (x forward, y left), poses in the
// map W; metres and radians.
//
// It judges no single run: limits of a world ([[expect]]) do, and their verdicts are shown beside the numbers.
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
