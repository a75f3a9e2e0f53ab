// Package beams casts beams of light at a scene, as laser scanners do: it finds what each beam meets, how far away it
// is, and how much light returns. It needs neither light nor C.
//
// Bodies may move while a scanner turns: a Sector holds the poses of all bodies at two instants, and each of its
// columns has its own instant between them.
//
//	model, err := beams.New(scene)
//	caster := beams.NewCaster(model, width, height)
//	caster.Start(posesWB)
//	caster.Aim(&sector, alongS, far)
//	sector.Turn(column)
//	echo := caster.Cast(&sector, alongS[ring])
package beams

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Model is a scene prepared for beams. Any number of Casters may share it.
type Model = raycast.BeamModel

// Caster casts beams at a scene.
type Caster = raycast.BeamCaster

// Sector is several neighbouring fans of beams, during which bodies move from one pose to another.
type Sector = raycast.Sector

// Column is a fan of beams that start at one place at one instant.
type Column = raycast.BeamColumn

// Echo is what a beam meets first.
type Echo = raycast.Echo

// Values of Echo.Body if the ray meets no body.
const (
	None  = raycast.EchoNone
	Floor = raycast.EchoFloor
	Hall  = raycast.EchoHall
)

// New prepares a scene, which must not change afterwards.
func New(scene *render.Scene) (*Model, error) { return raycast.NewBeamModel(scene) }

// NewCaster returns a Caster for beams with the given full angles, in rad.
func NewCaster(m *Model, width, height float64) *Caster {
	return raycast.NewBeamCaster(m, width, height)
}

// InParallel calls a function with each index from 0 to n − 1, on all processors. It returns after all calls have
// returned.
func InParallel(n int, do func(i int)) { rays.InParallel(n, do) }
