package output

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// readingJSON is what a sensor without pictures delivers, in SI units; which of the fields are there depends on the device.
type readingJSON struct {
	Level string  `json:"level"`
	Frame uint64  `json:"frame"`
	Stamp float64 `json:"stamp_s"`

	Pose     *poseJSON   `json:"pose,omitempty"` // odometry; laser at pose and truth
	Velocity *[3]float64 `json:"velocity_m_s_m_s_rad_s,omitempty"`
	Stuck    bool        `json:"stuck,omitempty"`

	Accel *mgl64.Vec3 `json:"specific_force_m_s2,omitempty"` // imu
	Gyro  *mgl64.Vec3 `json:"rate_rad_s,omitempty"`

	First  *float64   `json:"first_rad,omitempty"` // laser
	Step   *float64   `json:"step_rad,omitempty"`
	Ranges []*float64 `json:"ranges_m,omitempty"` // null: nearer or farther than measured

	Heading *float64    `json:"heading_rad,omitempty"` // compass
	Pressed *[2]float64 `json:"arms_m,omitempty"`      // arms
	Bumper  []bool      `json:"switches,omitempty"`    // bumper
	Voltage *float64    `json:"voltage_v,omitempty"`   // battery
	Current *float64    `json:"current_a,omitempty"`
}

type poseJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

func poseOf(p spatial.Pose) *poseJSON { return &poseJSON{p.Pos, p.Heading()} }

func readingOf(o *sensors.Observation) readingJSON {
	j := readingJSON{Level: string(o.Level), Frame: o.Frame, Stamp: o.Stamp.Seconds()}
	switch {
	case o.Odometry != nil:
		t := o.Odometry.TwistB
		j.Pose, j.Velocity, j.Stuck = poseOf(o.Odometry.PoseOB), &[3]float64{t.VX, t.VY, t.Omega}, o.Odometry.Stuck
	case o.IMU != nil:
		j.Accel, j.Gyro = &o.IMU.AccelS, &o.IMU.GyroS
	case o.Scan != nil:
		j.First, j.Step = &o.Scan.First, &o.Scan.Step
		for i := range o.Scan.Ranges {
			r := &o.Scan.Ranges[i]
			if math.IsInf(*r, 0) {
				r = nil
			}
			j.Ranges = append(j.Ranges, r)
		}
		if o.Scan.PoseKnown {
			j.Pose = poseOf(o.Scan.PoseWB)
		}
	case o.Heading != nil:
		j.Heading = &o.Heading.Heading
	case o.Arms != nil:
		j.Pressed = &o.Arms.Pressed
	case o.Bumper != nil:
		j.Bumper = o.Bumper.Pressed
	case o.Battery != nil:
		j.Voltage, j.Current = &o.Battery.Voltage, &o.Battery.Current
	}
	return j
}

// log writes a sensor's readings as JSON lines.
func (r *Recorder) log(sim *omnipitch.Sim, robot, sensor string) error {
	f, err := r.out.create(fmt.Sprintf("%s.%s.jsonl", robot, sensor))
	if err != nil {
		return err
	}
	lines := bufio.NewWriter(f)
	enc := json.NewEncoder(lines)
	r.logs = append(r.logs, lines.Flush, f.Close)
	_, err = sim.Listen(robot, sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) { r.note(enc.Encode(readingOf(o))) }})
	return err
}
