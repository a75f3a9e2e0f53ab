// Package suite runs worlds as tests: each with many seeds, several runs at once in one process, and says what became
// of their expectations. It reads no world file and no flag, and prints nothing but what its Outcome is asked to.
//
// A run's result does not depend on the others: it is that of the same world and seed alone, to the last bit.
//
//	suite := suite.Config{Worlds: []suite.World{{Argument: "penalty", World: world}}, Seeds: seeds, Jobs: 2}
//	outcome := suite.Run(ctx, func(done, failed int) { … })
//	err := outcome.Print(os.Stdout)
package suite
