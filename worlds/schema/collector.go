package schema

import (
	"errors"
	"fmt"
)

// collector collects errors. It keeps up to maxErrors errors, and only counts the others.
type collector struct {
	list    []error
	dropped int
}

func (c *collector) add(err error) {
	if c.room() {
		c.list = append(c.list, err)
	}
}

// room reports whether another error will be kept. If not, it counts the error. Callers call room before they compute a
// position, because that is slow.
func (c *collector) room() bool {
	if len(c.list) < maxErrors {
		return true
	}
	c.dropped++
	return false
}

// join returns the errors joined and sorted by position. It returns nil if there are none.
func (c *collector) join() error {
	list := Flatten(errors.Join(c.list...))
	if c.dropped > 0 {
		file := posOf(list[len(list)-1]).File
		list = append(list, &Error{Pos: Pos{File: file}, Rule: fmt.Sprintf("and %d more errors", c.dropped)})
	}
	return errors.Join(list...)
}
