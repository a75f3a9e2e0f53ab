package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds"
)

// Assessment compares what a vision in Python reports with the truth.
type Assessment interface {
	// Camera returns the name ROBOT.SENSOR of the vision's camera.
	Camera() string
	// Options sets the options of the simulation that Follow will receive.
	Options(*omnipitch.Options)
	Follow(*omnipitch.Sim) error
	// Report takes the reports about the camera's image with a stamp, a JSON object. It reports whether the assessment
	// has lasted long enough.
	Report(stamp time.Duration, reports json.RawMessage) (done bool, err error)
	// Finish returns the result, which becomes JSON.
	Finish() (any, error)
}

// Assess returns an assessment of a vision in a world. The options are a JSON object.
type Assess func(w *worlds.World, options json.RawMessage) (Assessment, error)

// assess starts the assessment that a request asks for, if any.
func (s *simulation) assess(r *openRequest, w *worlds.World, options *omnipitch.Options, assess Assess) (err error) {
	switch {
	case r.Assess == nil:
		return nil
	case assess == nil:
		return inputError{errors.New("this program has no assessments")}
	}
	if s.vision, err = assess(w, r.Assess); err != nil {
		return inputError{err}
	}
	r.Sensors = []string{s.vision.Camera()}
	s.vision.Options(options)
	return nil
}

// report passes reports of the vision to the assessment, or finishes it.
func (c *call) report(s *simulation) error {
	if s.vision == nil {
		return inputError{fmt.Errorf("%s: no vision is assessed", c.request.Op)}
	}
	if c.request.Op == "finish" {
		result, err := s.vision.Finish()
		return c.setResult(result, err)
	}
	done, err := s.vision.Report(c.request.For, c.request.Options)
	if err != nil {
		return inputError{err}
	}
	return c.setResult(done, nil)
}
