package scenery

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Dimensions of the steel below a ceiling, metres. They are guesses from photographs of halls.
const (
	beamWidth   = 0.2
	beamHeight  = 0.4
	beamPiece   = 6.0 // longest part of a beam with the same light
	purlinPitch = 2.5
	purlinWidth = 0.07
	purlinDepth = 0.14
)

// beams adds n beams across the hall below its ceiling, and purlins between them along the hall. It returns their
// poses.
func (b *builder) beams(scene *physics.Model, n int) []spatial.Pose {
	if n <= 0 {
		return nil
	}
	b.startBody("hall.beams")
	b.body.Static, b.body.Overhead, b.body.Cameras = true, true, cameraRegion(scene, spatial.Identity())
	room := &b.scene.Room
	x, y := scene.Field.Half()
	x, y = x+room.Margin, y+room.Margin
	steel := b.painted("#53585a", graphite)
	bay := 2 * x / float64(n)
	pieces := math.Ceil(2 * y / beamPiece)
	beam := shapes.Box(beamWidth, 2*y/pieces, beamHeight)
	rows := math.Ceil(2 * y / purlinPitch)
	purlin := shapes.Box(bay, purlinWidth, purlinDepth)
	for i := range n {
		middle := bay*(float64(i)+0.5) - x
		for k := range int(pieces) {
			b.add("beam", beam, steel, translation(middle, y*((2*float64(k)+1)/pieces-1), room.Height-beamHeight/2))
		}
		for k := range int(rows) {
			b.add("purlin", purlin, steel, translation(middle, y*((2*float64(k)+1)/rows-1),
				room.Height-purlinDepth/2))
		}
	}
	return []spatial.Pose{spatial.Identity()}
}
