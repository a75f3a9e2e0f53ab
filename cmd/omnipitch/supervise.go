package main

import (
	"os"

	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
)

// superviseCmd is what package program starts this executable with.
type superviseCmd struct{}

func (superviseCmd) Run() error { return programs.Supervise(os.Stdin, os.Stdout) }
