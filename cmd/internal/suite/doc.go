// Package suite runs worlds as tests: each world with many seeds, several runs at a time in one process. It collects
// the verdicts on their expectations. It reads no world files and no flags. Only the methods of Outcome print.
//
// The result of a run does not depend on other runs. It equals that of the same world and seed alone, to the last bit.
//
//	suite := suite.Config{Worlds: []suite.World{{Argument: "penalty", World: world}}, Seeds: seeds, Jobs: 2}
//	outcome := suite.Run(ctx, func(done, failed int) { … })
//	err := outcome.Print(os.Stdout)
package suite
