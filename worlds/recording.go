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

// Recording describes how a run of the world is recorded.
type Recording struct {
	File    string   `toml:"file" doc:"file that every run records to, such as chase.mcap, in the folder where the run starts; left out, only a run that asks for a recording makes one. An existing file is replaced with --overwrite alone"`
	Exact   bool     `toml:"exact" doc:"whether to record the exact state of every step, from which a replay starts anywhere at once"`
	On      bool     `toml:"on" doc:"whether the recording starts switched on; see action record"`
	Topics  []string `toml:"topics" maxlen:"1000" doc:"topics to record, as subscribers get them; * stands for any characters, as in /cyan1/*, and ? for one"`
	Sensors []string `toml:"sensors" maxlen:"1000" doc:"sensors whose topics to record, such as cyan1.omni or *.imu"`
	Images  string   `toml:"images" oneof:"png|jpeg|raw" doc:"format of images: lossless (png), smaller (jpeg), or as published (raw)"`
	Quality int      `toml:"jpeg_quality" range:"[1, 100]"`
}

// defaultRecording returns a recording that keeps every pixel. Its JPEG quality is that of ROS's image_transport.
func defaultRecording() Recording { return Recording{On: true, Images: "png", Quality: 80} }

// recordingFile matches the file names that a world may give to a recording. Such a name contains no folder.
var recordingFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}\.mcap$`)

// validateRecording reports contradictions between the keys of the recording.
func (w *World) validateRecording() error {
	r := &w.Record
	var errs []error
	wrong := func(key, value, rule string) {
		errs = append(errs, &schema.Violation{Path: "record", Key: key, Value: value, Rule: rule})
	}
	if r.File != "" && !recordingFile.MatchString(r.File) {
		wrong("file", r.File, "must be a name of letters, digits, _, - and . that ends in .mcap, "+
			"without a folder: the user who starts the run chooses the folder")
	}
	for _, pattern := range r.Topics {
		name := strings.NewReplacer("*", "x", "?", "x").Replace(pattern)
		if err := condition.CheckTopic(name); err != nil && pattern != "*" {
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

// CheckSensors returns an error if a pattern, such as cyan1.omni or *.imu, matches no sensor of the world.
func (w *World) CheckSensors(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return errors.New("is no pattern: must be ROBOT.SENSOR, with * and ? for any characters")
	}
	whole := true
	for i := range w.Robots {
		robot := &w.Robots[i]
		whole = whole && w.complete(robot.Name) && w.NoErrorAt(fmt.Sprintf("robot[%d].model", i))
		for k := range robot.Sensors {
			if ok, _ := path.Match(pattern, robot.Name+"."+robot.Sensors[k].Name); ok {
				return nil
			}
		}
	}
	if !whole {
		return nil // the pattern may match a sensor whose configuration could not be read
	}
	return errors.New("matches no sensor ROBOT.SENSOR")
}

// MatchesSensor reports whether at least one of several patterns matches a sensor of a robot. The patterns must have
// passed CheckSensors.
func MatchesSensor(patterns []string, robot, sensor string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, robot+"."+sensor)
		return ok
	})
}
