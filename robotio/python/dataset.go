package python

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"unsafe"

	"github.com/omnipitch/omnipitch/worlds"
)

// Dataset draws labelled images.
type Dataset interface {
	// Draw draws the image with a number from 0 on, and passes its labels, which become JSON, and its pixels to use.
	Draw(ctx context.Context, number int, use func(labels any, pixels []Pixels) error) error
	// Categories returns the description of the labels, which becomes JSON.
	Categories() any
	Close()
}

// OpenDataset returns the data set of a world. The options are a JSON object.
type OpenDataset func(w *worlds.World, options json.RawMessage) (Dataset, error)

// Pixels is one array of an image: its name, the type and the shape as of numpy, and its bytes.
type Pixels struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	At    int    `json:"offset"` // in the shared memory
	data  []byte
}

// PixelsOf returns the array of a slice of numbers.
func PixelsOf[T any](name string, all []T, shape ...int) Pixels {
	format, _, _ := plain(reflect.TypeFor[T]())
	var one T
	return Pixels{Name: name, DType: format, Shape: shape,
		data: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(all)*int(unsafe.Sizeof(one)))}
}

// labelled is the data set of a Python program.
type labelled struct {
	Dataset
	at, capacity int // of its memory
}

// openDataset opens the data set of a request, in place of an earlier one.
func (c *call) openDataset() error {
	if c.hooks.OpenDataset == nil {
		return inputError{errors.New("this program has no data sets")}
	}
	w, err := c.request.Open.load()
	if err != nil {
		return inputError{err}
	}
	set, err := c.hooks.OpenDataset(w, c.request.Options)
	if err != nil {
		return inputError{err}
	}
	c.labelled.close()
	c.labelled = labelled{Dataset: set}
	return c.setResult(set.Categories(), nil)
}

func (l *labelled) close() {
	if l.Dataset != nil {
		l.Close()
	}
}

// draw draws an image of the data set into the shared memory.
func (c *call) draw() error {
	l := &c.labelled
	if l.Dataset == nil {
		return inputError{errors.New("draw: no data set is open")}
	}
	return l.Draw(c.ctx, c.request.Number, func(labels any, pixels []Pixels) error {
		size := 0
		for i := range pixels {
			pixels[i].At = size
			size += aligned(len(pixels[i].data))
		}
		if size > l.capacity {
			at, err := c.memory.allocate(size)
			if err != nil {
				return err
			}
			l.at, l.capacity = at, size
		}
		for i := range pixels {
			p := &pixels[i]
			p.At += l.at
			copy(c.memory.data[p.At:], p.data)
		}
		c.reply.Pixels = pixels
		return c.setResult(labels, nil)
	})
}
