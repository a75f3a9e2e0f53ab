package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
)

const (
	seedsChecked = 100 // seeds 1 to 100 are checked
	// drawsChecked limits the total number of random draws. A random draw of ten robots takes a millisecond.
	drawsChecked = 5_000
)

// checkSeeds makes a random world with each of the seeds from 1 to seedsChecked. The error contains the errors of the
// first invalid seed and a list of all invalid seeds. last is the last seed that was tried. It is less than
// seedsChecked if the seeds needed too many random draws.
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
