package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// CubeMapFace returns the width, in pixels, of the faces of the cube map from which the images of a camera under the
// mirror are made. It returns 0 if the images are not made from a cube map.
func (m *Mirror) CubeMapFace(camera optics.Catadioptric) int {
	switch {
	case m.Method != MirrorCube:
		return 0
	case m.CubeFace > 0:
		return m.CubeFace
	}
	return matchingFace(camera)
}

// matchingFace returns the width of a face, in pixels, with which the cube map is as sharp as the image. That is, the
// centre of a face has as many pixels per radian as the image has where its radial resolution is highest.
func matchingFace(camera optics.Catadioptric) int {
	cu, cv, _, _ := optics.Paraxial(camera)
	most := 0.0 // pixels per radian
	before, ok := camera.Unproject(cu, cv)
	for r := 1.0; ok && r < camera.RimPixels(); r++ {
		d, seen := camera.Unproject(cu+r, cv)
		if !seen || d[2] > 0 {
			break
		}
		most = math.Max(most, 1/d.Sub(before).Len())
		before = d
	}
	const step = 16 // pixels, the tile size of OpenGL rendering
	return min(max(int(math.Ceil(2*most/step)), 1)*step, render.MaxCubeFace)
}
