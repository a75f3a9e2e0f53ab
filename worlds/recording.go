package worlds

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Recording says how a run of the world is recorded.
type Recording struct {
	File    string   `toml:"file" doc:"recording that every run makes, such as chase.mcap, in the folder that it is started in; if left out, only a run that asks for one makes one. What is there of that name is replaced with --overwrite alone"`
	Exact   bool     `toml:"exact" doc:"with the exact state of every step, from which a replay begins anywhere at once"`
	On      bool     `toml:"on" doc:"whether it begins switched on; see action record"`
	Topics  []string `toml:"topics" maxlen:"1000" doc:"topics whose messages it has, as subscribers get them; * stands for any characters, as in /cyan1/*, and ? for one"`
	Sensors []string `toml:"sensors" maxlen:"1000" doc:"sensors, such as cyan1.omni or *.imu: the topics that they feed"`
	Images  string   `toml:"images" oneof:"png|jpeg|raw" doc:"how it has images: every pixel (png), smaller (jpeg), or as they are published (raw)"`
	Quality int      `toml:"jpeg_quality" range:"[1, 100]"`
}

// defaultRecording keeps every pixel. The quality is that of ROS's image_transport.
func defaultRecording() Recording { return Recording{On: true, Images: "png", Quality: 80} }

// recordingFile matches names of files that a world of anybody's may name: none of them leads out of the folder.
var recordingFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}\.mcap$`)

// recording reports what a recording cannot have.
func (w *World) recording() error {
	r := &w.Record
	var errs []error
	wrong := func(key, value, rule string) {
		errs = append(errs, &schema.Violation{Path: "record", Key: key, Value: value, Rule: rule})
	}
	if r.File != "" && !recordingFile.MatchString(r.File) {
		wrong("file", r.File, "must be a name of letters, digits, _, - and . that ends in .mcap, without a folder: who runs the world chooses where")
	}
	for _, pattern := range r.Topics {
		if err := condition.CheckTopic(strings.NewReplacer("*", "x", "?", "x").Replace(pattern)); err != nil && pattern != "*" {
			wrong("topics", pattern, fmt.Sprintf("%q %v, with * and ? for any characters", pattern, err))
		}
	}
	for _, pattern := range r.Sensors {
		if err := w.CheckSensors(pattern); err != nil {
			wrong("sensors", pattern, fmt.Sprintf("%q %v", pattern, err))
		}
	}
	return errors.Join(errs...)
}

// CheckSensors fails unless a pattern, such as cyan1.omni or *.imu, matches a sensor.
func (w *World) CheckSensors(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return errors.New("is no pattern: must be ROBOT.SENSOR, with * and ? for any characters")
	}
	whole := true
	for i := range w.Robots {
		robot := &w.Robots[i]
		whole = whole && w.complete(robot.Name) && w.Sound(fmt.Sprintf("robot[%d].model", i))
		for k := range robot.Sensors {
			if ok, _ := path.Match(pattern, robot.Name+"."+robot.Sensors[k].Name); ok {
				return nil
			}
		}
	}
	if !whole {
		return nil // another sensor may be that one
	}
	return errors.New("matches no sensor ROBOT.SENSOR")
}

// MatchesSensor tells whether one of several patterns matches a sensor. They must have passed CheckSensors.
func MatchesSensor(patterns []string, robot, sensor string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, robot+"."+sensor)
		return ok
	})
}
