package output

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
)

// readingLine returns a reading of a sensor without images as a line of JSON, in SI units. The line has the fields that
// all readings have, followed by the fields of this kind of reading.
func readingLine(o *sensors.Observation) ([]byte, error) {
	head, err := json.Marshal(struct {
		Level string  `json:"level"`
		Frame uint64  `json:"frame"`
		Stamp float64 `json:"stamp_s"`
	}{string(o.Level), o.Frame, o.Stamp.Seconds()})
	reading, err2 := json.Marshal(o.Reading)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return fmt.Appendf(head[:len(head)-1], ",%s\n", reading[1:]), nil
}

// logReadings writes each reading of a sensor as a line of JSON.
func (r *Recorder) logReadings(sim *omnipitch.Sim, robot, sensor string) error {
	lines, err := r.lines(fmt.Sprintf("%s.%s.jsonl", robot, sensor))
	if err != nil {
		return err
	}
	_, err = sim.Listen(robot, sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		line, err := readingLine(o)
		if err == nil {
			_, err = lines.Write(line)
		}
		r.note(err)
	}})
	return err
}
