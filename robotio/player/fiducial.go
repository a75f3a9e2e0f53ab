package player

import (
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// Numbers of fiducials. They say what vision has recognised, and not which object of the world it is.
const (
	ballFiducial    = 1 + iota
	robotFiducial   // a robot whose card is not visible
	cyanFiducial    // a robot
	magentaFiducial // a robot
	obstacleFiducial
	postFiducial
)

// perceives reports whether cameras at a level report objects.
func perceives(l abstraction.Level) bool { return l == abstraction.Objects || l == abstraction.Truth }

// locates returns a function that reports whether a sensor locates the robot at a level.
func locates(cfg *sensors.Config) func(abstraction.Level) bool {
	if cfg.Kind.TakesImages() {
		return perceives
	}
	return func(l abstraction.Level) bool { return l == abstraction.Pose || l == abstraction.Truth }
}

// fiducial adds a device for each camera. It sends the objects of levels objects and truth, in the robot's frame.
func (p *port) fiducial() {
	kinds := p.server.sim.World().Kinds()
	for _, cfg := range p.cameras() {
		d := p.add(fiducialInterface, cfg.Name)
		d.static(1, appendDoubles(geometry(spatial.Identity()), 0, 0))
		d.static(2, appendFloat(appendFloat(appendFloat(nil, 0), cfg.Vision.MaxRange), cfg.Image.FOV))
		d.listen(cfg.Name, perceives, func(o *sensors.Observation) {
			if o.Objects == nil {
				return
			}
			m := d.data(1, o.Stamp)
			m.b = appendCount(m.b, len(o.Objects.Detections))
			for i := range o.Objects.Detections {
				f := &o.Objects.Detections[i]
				m.b = appendPose(appendInt(m.b, fiducialOf(f, kinds)), spatial.Translation(f.PosB))
				m.b = appendDoubles(m.b, 0, 0, 0, 0, 0, 0) // the uncertainty is not known
			}
			d.send(m)
		})
	}
}

// fiducialOf returns the identifier of a detection. Those of the world's own kinds follow postFiducial.
func fiducialOf(d *abstraction.Detection, kinds []string) int {
	if own := slices.Index(kinds, string(d.Kind)); own >= 0 {
		return postFiducial + 1 + own
	}
	switch {
	case d.Kind == abstraction.BallKind:
		return ballFiducial
	case d.Kind == abstraction.PostKind:
		return postFiducial
	case d.Kind == abstraction.ObstacleKind:
		return obstacleFiducial
	case d.Team == "cyan":
		return cyanFiducial
	case d.Team == "magenta":
		return magentaFiducial
	}
	return robotFiducial
}
