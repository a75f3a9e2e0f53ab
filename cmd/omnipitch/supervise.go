package main

import (
	"os"

	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
)

// superviseCmd is the command with which package program starts this executable.
type superviseCmd struct{}

func (superviseCmd) Run() error { return programs.Supervise(os.Stdin, os.Stdout) }
