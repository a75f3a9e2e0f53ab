package main

import (
	"os"

	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
)

// superviseCmd is a hidden command. Package program starts this executable with it, as the supervisor of a program.
type superviseCmd struct{}

func (superviseCmd) Run() error { return programs.Supervise(os.Stdin, os.Stdout) }
