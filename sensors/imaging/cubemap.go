package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// CubeMapFace returns the side, pixels, of the faces of the cube map that images of a camera under the mirror are made
// of; 0 if they are drawn in another way.
func (m *Mirror) CubeMapFace(camera optics.Catadioptric) int {
	switch {
	case m.Method != MirrorCube:
		return 0
	case m.CubeFace > 0:
		return m.CubeFace
	}
	return matchingFace(camera)
}

// matchingFace returns the side of faces whose middles have as many pixels a radian as the image has, outwards along a
// row, where it has most of them: at the horizon or, of a mirror that does not show it, below.
func matchingFace(camera optics.Catadioptric) int {
	cu, cv, _, _ := optics.Paraxial(camera)
	most := 0.0 // pixels a radian
	before, ok := camera.Unproject(cu, cv)
	for r := 1.0; ok && r < camera.RimPixels(); r++ {
		d, seen := camera.Unproject(cu+r, cv)
		if !seen || d[2] > 0 {
			break
		}
		most = math.Max(most, 1/d.Sub(before).Len())
		before = d
	}
	const step = 16 // pixels: the tiles that OpenGL draws by
	return min(max(int(math.Ceil(2*most/step)), 1)*step, render.MaxCubeFace)
}
