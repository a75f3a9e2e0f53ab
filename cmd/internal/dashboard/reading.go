package dashboard

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// readingJSON is a reading of a sensor without images.
type readingJSON struct {
	Level   string    `json:"level"`
	Stamp   float64   `json:"stamp_s"`
	Fault   string    `json:"fault,omitempty"`
	Robot   *poseJSON `json:"robot,omitempty"` // the robot's true pose at that time
	Reading any       `json:"reading,omitempty"`
	Scan    *scanJSON `json:"scan,omitempty"` // of a laser or a lidar
}

// scanJSON is a scan in the robot's frame: x forward, y left.
type scanJSON struct {
	Near    float64      `json:"near_m"` // least measurable distance
	Far     float64      `json:"far_m"`
	Mount   poseJSON     `json:"mount"`    // pose of the scanner on the robot
	Points  [][2]float64 `json:"points_m"` // end points of the beams that hit something
	Beams   int          `json:"beams"`
	Hits    int          `json:"hits"`     // number of returns; of a lidar, more than the points
	TooNear int          `json:"too_near"` // number of beams that hit something nearer than near_m
	TooFar  int          `json:"too_far"`  // number of beams that hit nothing up to far_m
}

// reading returns an observation of a sensor that is not a camera.
func (f *frame) reading() *readingJSON {
	o := f.obs
	j := &readingJSON{Level: string(o.Level), Stamp: o.Stamp.Seconds(), Fault: string(o.Fault), Reading: o.Reading}
	if o.Overlay != nil {
		j.Robot = new(poseOf(o.Overlay.PoseWB))
	}
	if s, ok := o.Reading.(*sensors.LaserScan); ok {
		j.Reading, j.Scan = nil, scanOf(s, f.feed.mount())
		if s.PoseKnown {
			j.Reading = map[string]any{"pose": poseOf(s.PoseWB)}
		}
	}
	if p, ok := o.Reading.(*sensors.PointCloud); ok {
		j.Scan = topOf(p, o.PoseBC)
	}
	return j
}

// mostTop is the largest number of points of a lidar that are shown from above.
const mostTop = 3000

// topOf returns the points of a lidar that are not on the floor, from above.
func topOf(p *sensors.PointCloud, poseBS spatial.Pose) *scanJSON {
	const overFloor = 0.05 // m, several times the errors of a distance
	j := &scanJSON{Near: p.Min, Far: p.Max, Mount: poseOf(poseBS), Points: [][2]float64{}, Beams: p.Beams,
		Hits: len(p.Points), TooFar: max(p.Beams-len(p.Points), 0)}
	for i := 0; i < len(p.Points); i += (len(p.Points) + mostTop - 1) / mostTop {
		q := poseBS.Apply([3]float64{float64(p.Points[i].X), float64(p.Points[i].Y), float64(p.Points[i].Z)})
		if q[2] > overFloor {
			j.Points = append(j.Points, [2]float64{millimetres(q[0]), millimetres(q[1])})
		}
	}
	return j
}

func scanOf(s *sensors.LaserScan, poseBS spatial.Pose) *scanJSON {
	j := &scanJSON{Near: s.Min, Far: s.Max, Mount: poseOf(poseBS), Points: [][2]float64{}, Beams: len(s.Ranges)}
	for i, r := range s.Ranges {
		switch {
		case math.IsInf(r, 1):
			j.TooFar++
		case math.IsInf(r, -1):
			j.TooNear++
		default:
			sin, cos := math.Sincos(s.First + float64(i)*s.Step)
			p := poseBS.Apply([3]float64{r * cos, r * sin, 0})
			j.Points = append(j.Points, [2]float64{millimetres(p[0]), millimetres(p[1])})
		}
	}
	j.Hits = len(j.Points)
	return j
}

func millimetres(x float64) float64 { return math.Round(x*1e3) / 1e3 }

// configOf returns the configuration of a sensor. It returns nil for a sensor that the world does not declare because
// it was plugged in.
func configOf(w *worlds.World, robot, sensor string) *sensors.Config {
	if r, ok := w.Robot(robot); ok {
		for k := range r.Sensors {
			if r.Sensors[k].Name == sensor {
				return &r.Sensors[k]
			}
		}
	}
	return nil
}

// mount returns the sensor's pose on its robot.
func (f *feed) mount() spatial.Pose {
	if c := configOf(f.sim.World(), f.robot, f.sensor); c != nil {
		return c.Mount.Pose()
	}
	return spatial.Identity()
}

// ranging returns the least and the greatest depth, in m, that a camera measures.
func (f *feed) ranging() (near, far float64) {
	if c := configOf(f.sim.World(), f.robot, f.sensor); c != nil {
		if near, far, ok := c.DepthRange(); ok {
			return near, far
		}
	}
	return 0, 1
}
