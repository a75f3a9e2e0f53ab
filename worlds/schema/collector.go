package schema

import (
	"errors"
	"fmt"
)

// collector collects errors; beyond maxErrors it only counts them.
type collector struct {
	list    []error
	dropped int
}

func (c *collector) add(err error) {
	if c.room() {
		c.list = append(c.list, err)
	}
}

// room reports whether another error is kept, and counts it if not. Call it before computing a position, which is slow.
func (c *collector) room() bool {
	if len(c.list) < maxErrors {
		return true
	}
	c.dropped++
	return false
}

// join returns the errors sorted by position, or nil.
func (c *collector) join() error {
	list := Flatten(errors.Join(c.list...))
	if c.dropped > 0 {
		file := posOf(list[len(list)-1]).File
		list = append(list, &Error{Pos: Pos{File: file}, Rule: fmt.Sprintf("and %d more errors", c.dropped)})
	}
	return errors.Join(list...)
}
