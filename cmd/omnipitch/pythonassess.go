package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/assess"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/python"
	"github.com/omnipitch/omnipitch/worlds"
)

// pythonVision assesses a vision in Python like one that publishes over ROS 1: on the topic ROBOT/vision/KIND for each
// kind of thing that it reports.
type pythonVision struct {
	*assess.Assessment
	command assessCmd
	robot   string
	kinds   []assess.Kind
	topics  *robotio.Topics
	sim     *omnipitch.Sim
	points  *msg.Codec[msg.PointStamped]
	poses   *msg.Codec[msg.PoseStamped]
	lists   *msg.Codec[msg.PoseArray]
	done    bool
}

// assessVision implements python.Assess.
func assessVision(w *worlds.World, options json.RawMessage) (python.Assessment, error) {
	var flags struct {
		Robot     *string       `json:"robot"`
		Sensor    *string       `json:"sensor"`
		Reports   []assess.Kind `json:"reports"`
		Range     *float64      `json:"range_m"`
		Visible   float64       `json:"visible"`
		Gate      float64       `json:"gate_m"`
		Tour      string        `json:"tour"`
		For       float64       `json:"for_s"`
		Out       *string       `json:"out"`
		Overwrite bool          `json:"overwrite"`
		Fit       *string       `json:"fit"`
	}
	if err := json.Unmarshal(options, &flags); err != nil {
		return nil, err
	}
	length := time.Duration(flags.For * float64(time.Second))
	c := assessCmd{World: w.Name, Robot: flags.Robot, Sensor: flags.Sensor, Range: flags.Range, Visible: flags.Visible,
		Gate: flags.Gate, Tour: flags.Tour, For: &length, Out: flags.Out, Overwrite: flags.Overwrite, Fit: flags.Fit}
	switch {
	case !(flags.For > 0 && flags.For <= 1e6):
		return nil, fmt.Errorf("for_s = %v: must lie in (0, 1e6]", flags.For)
	case !slices.Contains([]string{"none", "drive", "place"}, c.Tour):
		return nil, fmt.Errorf("tour = %q: must be none, drive or place", c.Tour)
	case c.Fit != nil && !strings.HasSuffix(*c.Fit, ".toml"):
		return nil, fmt.Errorf("fit = %q: must end with .toml", *c.Fit)
	}
	for _, k := range flags.Reports {
		if !slices.Contains(assess.Kinds, k) {
			return nil, fmt.Errorf("reports = %q: must be self, ball or obstacles", k)
		}
		c.Topic = append(c.Topic, fmt.Sprintf("vision/%s=%s", k, k))
	}
	cfg, err := c.config(w)
	if err != nil {
		return nil, errors.New(strings.Replace(err.Error(), "--robot", "robot", 1))
	}
	if c.Out != nil {
		if err := output.Check("out", *c.Out, c.Overwrite); err != nil {
			return nil, err
		}
	}
	v := &pythonVision{command: c, robot: cfg.Robot, kinds: flags.Reports, topics: robotio.NewTopics()}
	if v.Assessment, err = assess.New(w, cfg); err != nil {
		return nil, err
	}
	return v, v.compile()
}

// compile prepares the encoding of messages.
func (v *pythonVision) compile() error {
	library, err := msg.Load("std")
	if err != nil {
		return err
	}
	v.points, err = compileMessage[msg.PointStamped](library, "geometry_msgs/PointStamped")
	if err == nil {
		v.poses, err = compileMessage[msg.PoseStamped](library, "geometry_msgs/PoseStamped")
	}
	if err == nil {
		v.lists, err = compileMessage[msg.PoseArray](library, "geometry_msgs/PoseArray")
	}
	return err
}

func compileMessage[T any](library *msg.Library, name string) (*msg.Codec[T], error) {
	def, err := library.Message(name)
	if err != nil {
		return nil, err
	}
	return msg.Compile[T](def)
}

func (v *pythonVision) Options(o *omnipitch.Options) { o.Topics = v.topics }

func (v *pythonVision) Follow(sim *omnipitch.Sim) error {
	v.sim = sim
	if err := v.Assessment.Follow(sim, v.topics); err != nil {
		return err
	}
	v.Limit(*v.command.For, 30*time.Second, func() { v.done = true })
	if v.command.Tour == "none" {
		return nil
	}
	return v.Tour(assess.TourKind(v.command.Tour))
}

// Report implements python.Assessment. The reports are "ball": [x, y, z] and "obstacles": [[x, y, z], …] in the robot's
// frame, and "self": [x, y, heading] in the map, of the kinds that are assessed.
func (v *pythonVision) Report(stamp time.Duration, reports json.RawMessage) (done bool, err error) {
	var all map[assess.Kind]json.RawMessage
	if err := json.Unmarshal(reports, &all); err != nil {
		return false, err
	}
	for kind := range all {
		if !slices.Contains(v.kinds, kind) {
			return false, fmt.Errorf("report of %q: what is assessed is %q", kind, v.kinds)
		}
	}
	for _, kind := range v.kinds {
		header := msg.Header{Stamp: msg.TimeFrom(stamp), FrameID: "base_link"}
		switch text := all[kind]; {
		case kind == assess.Obstacles: // none is an answer, too
			var at [][]float64
			if text != nil {
				err = json.Unmarshal(text, &at)
			}
			list := msg.PoseArray{Header: header}
			for _, p := range at {
				list.Poses = append(list.Poses, msg.Pose{Position: pointOf(p)})
			}
			v.topics.Deliver(v.topic(kind), v.lists.Def(), v.lists.Append(nil, &list))
		case text == nil:
		case kind == assess.Ball:
			var at []float64
			err = json.Unmarshal(text, &at)
			v.topics.Deliver(v.topic(kind), v.points.Def(), v.points.Append(nil, &msg.PointStamped{Header: header,
				Point: pointOf(at)}))
		default:
			var at [3]float64
			err = json.Unmarshal(text, &at)
			header.FrameID = "map"
			sin, cos := math.Sincos(at[2] / 2)
			v.topics.Deliver(v.topic(kind), v.poses.Def(), v.poses.Append(nil, &msg.PoseStamped{Header: header,
				Pose: msg.Pose{Position: msg.Point{X: at[0], Y: at[1]}, Orientation: msg.Quaternion{Z: sin, W: cos}}}))
		}
		if err != nil {
			return false, fmt.Errorf("report of %q: %w", kind, err)
		}
	}
	return v.done, nil
}

func (v *pythonVision) topic(kind assess.Kind) string {
	return "/" + v.robot + "/vision/" + string(kind)
}

// pointOf returns a point with two or three coordinates.
func pointOf(at []float64) msg.Point {
	at = append(slices.Clone(at), 0, 0, 0)
	return msg.Point{X: at[0], Y: at[1], Z: at[2]}
}

// Finish implements python.Assessment.
func (v *pythonVision) Finish() (any, error) {
	result := v.Assessment.Finish()
	defer result.Close()
	result.Verdicts = v.sim.Match().Verdicts()
	err := v.command.write(result)
	if err == nil && result.Nothing() == "" {
		err = v.command.fit(console.Streams{Out: io.Discard, Err: io.Discard}, result)
	}
	return result, err
}
