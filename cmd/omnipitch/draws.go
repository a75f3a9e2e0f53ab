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
	drawsChecked = 5_000 // of all of them; of ten robots one takes a millisecond
)

// checkSeeds draws a random world with many seeds. The error holds what the first seed that fails has against it, and
// names those that do. The number of the last seed is less than seedsChecked where a bound kept it from more.
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
