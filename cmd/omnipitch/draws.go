package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
)

const (
	seedsChecked = 100   // 1 to 100
	drawsChecked = 5_000 // limit on draws of all seeds; a draw of ten robots takes a millisecond
)

// checkSeeds draws a random world with the seeds from 1 to seedsChecked. The error holds the errors of the first
// invalid seed and lists all invalid seeds. last is the last seed that was tried; it is less than seedsChecked if there
// were too many draws.
func checkSeeds(name string, w *worlds.World) (last uint64, err error) {
	var failed []string
	for draws := 0; last < seedsChecked && draws < drawsChecked; {
		last++
		drawn, seedErr := w.WithSeed(last)
		if seedErr == nil {
			draws += drawn.Draws()
			continue
		}
		draws += worlds.MaxDraws
		failed = append(failed, strconv.FormatUint(last, 10))
		if err == nil {
			err = seedErr
		}
	}
	if err != nil {
		err = errors.Join(err, fmt.Errorf("%s: of seeds 1 to %d these are not valid: %s", name, last,
			strings.Join(failed, ", ")))
	}
	return last, err
}
