// Package suite runs worlds as tests. It runs each world with many seeds, several runs at a time in one process, and
// collects the verdicts on the expectations of the worlds. It reads no world files and no flags. Only the methods of
// Outcome print.
//
// The result of a run does not depend on other runs. It is equal, to the last bit, to the result of the same world and
// seed in a suite with only this run.
//
//	suite := suite.Config{Worlds: []suite.World{{Argument: "penalty", World: world}}, Seeds: seeds, Jobs: 2}
//	outcome := suite.Run(ctx, func(done, failed int) { … })
//	err := outcome.Print(os.Stdout)
package suite
