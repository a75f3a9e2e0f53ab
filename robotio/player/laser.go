package player

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// laser adds two devices for each laser scanner: one of the interface laser, and one of its successor ranger.
func (p *port) laser() {
	for _, cfg := range p.sensors("laser") {
		p.scanner(cfg)
		spec := cfg.Laser
		d := p.ranger(cfg, appendDoubles(nil, -spec.FOV/2, spec.FOV/2, spec.Resolution, spec.Max, 0, cfg.Rate))
		listenFor(d, cfg.Name, func(o *sensors.Observation, scan *sensors.LaserScan) {
			d.ranges(o, scan.Max, scan.Ranges...)
		})
	}
}

// scanner adds a device of the interface laser. If the scan contains the robot's pose, as at levels pose and truth, the
// data are scans with the pose of the scanner.
func (p *port) scanner(cfg *sensors.Config) {
	d := p.add(laserInterface, cfg.Name)
	spec, poseBS := cfg.Laser, cfg.Mount.Pose()
	d.static(1, geometry(poseBS))
	half := spec.FOV / 2
	config := func() (b []byte) {
		for _, v := range []float64{-half, half, spec.Resolution, spec.Max, 0} {
			b = appendFloat(b, v)
		}
		return appendFloat(appendInt(b, 0), cfg.Rate) // no intensities
	}()
	d.static(2, config) // to set the configuration changes nothing; the reply has the present one
	d.static(3, config)
	d.set(4, switchOn)
	listenFor(d, cfg.Name, func(o *sensors.Observation, scan *sensors.LaserScan) {
		subtype := byte(1)
		if scan.PoseKnown {
			subtype = 2
		}
		m := d.data(subtype, o.Stamp)
		for _, v := range [...]float64{scan.First, scan.Last, scan.Step, scan.Max} {
			m.b = appendFloat(m.b, v)
		}
		m.b = appendCount(m.b, len(scan.Ranges))
		for _, r := range scan.Ranges {
			m.b = appendFloat(m.b, distance(r, scan.Max))
		}
		m.b = appendInt(appendCount(m.b, 0), int(o.Frame)) // no intensities
		if scan.PoseKnown {
			m.b = appendPlanar(m.b, scan.PoseWB.Mul(poseBS))
		}
		d.send(m)
	})
}

// sonar adds a device of the interface ranger for each sonar.
func (p *port) sonar() {
	for _, cfg := range p.sensors("sonar") {
		d := p.ranger(cfg, appendDoubles(nil, 0, 0, 0, cfg.Sonar.Max, 0, cfg.Rate))
		listenFor(d, cfg.Name, func(o *sensors.Observation, r *sensors.SonarReading) { d.ranges(o, r.Max, r.Range) })
	}
}

// ranger adds a device of the interface ranger with a configuration.
func (p *port) ranger(cfg *sensors.Config, config []byte) *device {
	d := p.add(rangerInterface, cfg.Name)
	// The ranges of one scanner start at one point, so the geometry has no elements.
	d.static(1, appendCount(appendCount(geometry(cfg.Mount.Pose()), 0), 0))
	d.set(2, switchOn)
	d.static(4, config)
	d.static(5, config)
	return d
}

func (d *device) ranges(o *sensors.Observation, limit float64, ranges ...float64) {
	m := d.data(1, o.Stamp)
	m.b = appendCount(m.b, len(ranges))
	for _, r := range ranges {
		m.b = appendDoubles(m.b, distance(r, limit))
	}
	d.send(m)
}

// distance converts a range to what drivers of Player send: the largest range if there is no echo, and 0 if the echo is
// too close.
func distance(r, limit float64) float64 {
	switch {
	case math.IsInf(r, 1):
		return limit
	case math.IsInf(r, -1):
		return 0
	}
	return r
}

// switchOn answers the request to switch a device on. No sensor can be switched off.
func switchOn(in *reader) error {
	if in.uint() == 0 {
		return errUnsupported
	}
	return nil
}

// imu adds a device for each inertial unit.
func (p *port) imu() {
	for _, cfg := range p.sensors("imu") {
		d := p.add(imuInterface, cfg.Name)
		listenFor(d, cfg.Name, func(o *sensors.Observation, r *sensors.IMUReading) {
			subtype := byte(2)
			if r.RotCovariance == 0 { // the orientation is known
				subtype = 3
			}
			m := d.data(subtype, o.Stamp)
			for _, v := range [...]float64{r.AccelS[0], r.AccelS[1], r.AccelS[2], r.GyroS[0], r.GyroS[1], r.GyroS[2],
				0, 0, 0} { // no magnetometer
				m.b = appendFloat(m.b, v)
			}
			if subtype == 3 {
				for _, v := range [...]float64{r.RotWS.W, r.RotWS.V[0], r.RotWS.V[1], r.RotWS.V[2]} {
					m.b = appendFloat(m.b, v)
				}
			}
			d.send(m)
		})
	}
}

// localize adds a device for each sensor that may locate the robot: laser scanners at levels pose and truth, and
// cameras at levels objects and truth.
func (p *port) localize() {
	for _, cfg := range p.sensors("laser", sensors.OmniKind, sensors.CameraKind, sensors.KinectKind,
		sensors.StereoKind) {
		d := p.add(localizeInterface, cfg.Name)
		d.listen(cfg.Name, locates(cfg), func(o *sensors.Observation) {
			if scan, ok := o.Reading.(*sensors.LaserScan); ok && scan.PoseKnown {
				d.hypothesis(o, scan.PoseWB)
			} else if o.Objects != nil && o.Objects.SelfKnown {
				d.hypothesis(o, o.Objects.Self)
			}
		})
	}
}

// hypothesis sends a single hypothesis with weight 1. Its covariance is 0: it is not known.
func (d *device) hypothesis(o *sensors.Observation, pose spatial.Pose) {
	m := d.data(1, o.Stamp)
	m.b = appendCount(appendDoubles(appendInt(m.b, 0), o.Stamp.Seconds()), 1)
	m.b = appendDoubles(appendPlanar(m.b, pose), 0, 0, 0, 0, 0, 0, 1)
	d.send(m)
}
