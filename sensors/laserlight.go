package sensors

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/beams"
)

// laserLight finds how much light of a Laser's beams returns, by casting the beams at the meshes of the render.Scene.
type laserLight struct {
	caster *beams.Caster
	own    []int        // bodies of the robot that carries the scanner, in the scene
	turnSC []mgl64.Quat // rotations of the beams
	ahead  []mgl64.Vec3 // direction of every beam in its own frame

	// The fields below are memory for one frame.
	posesWB     []spatial.Pose
	sector      beams.Sector
	reflectance []float32 // of each beam, as beams.Echo defines it
}

func newLaserLight(l *Laser, f *fan, d device, site *Site) (*laserLight, error) {
	if site.Scene == nil {
		return nil, fmt.Errorf("sensor %s: laser.dark_range_m = %v: needs a scene", d.cfg.Name, l.DarkRange)
	}
	model, err := site.Cache.beamModel(site.Scene)
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", d.cfg.Name, err)
	}
	s := &laserLight{caster: beams.NewCaster(model, l.Resolution, l.Resolution), ahead: []mgl64.Vec3{{1, 0, 0}},
		own: append([]int{site.bodyIndex()}, site.Links...), reflectance: make([]float32, len(f.alongS))}
	for i := range f.alongS {
		s.turnSC = append(s.turnSC, spatial.RotZ(f.first+float64(i)*f.step))
	}
	return s, nil
}

// elsewhere is far from everything, W, m. The bodies of the scanner's robot are there, so that no beam hits them.
var elsewhere = spatial.Translation(mgl64.Vec3{0, 0, -1e5})

// measure sets the reflectances of what the beams meet.
func (s *laserLight) measure(at *Instant, poseWS *spatial.Pose, far float64) {
	_, posesWB, _ := at.Trail.Around(at.Snapshot.Time)
	s.posesWB = append(s.posesWB[:0], posesWB...)
	for _, body := range s.own {
		s.posesWB[body] = elsewhere
	}
	s.caster.Start(s.posesWB)
	sector := &s.sector
	sector.From, sector.To = s.posesWB, s.posesWB
	for first := 0; first < len(s.turnSC); first += sectorColumns {
		sector.First, sector.Columns = first, sector.Columns[:0]
		for _, turn := range s.turnSC[first:min(first+sectorColumns, len(s.turnSC))] {
			beamW := *poseWS
			beamW.Rot = beamW.Rot.Mul(turn)
			sector.Columns = append(sector.Columns, beams.Column{PoseWS: beamW, Share: 1})
		}
		s.caster.Aim(sector, s.ahead, far)
		for k := range sector.Columns {
			sector.Turn(k)
			s.reflectance[first+k] = s.caster.Cast(sector, s.ahead[0]).Reflectance
		}
	}
}
