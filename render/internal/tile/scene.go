package tile

// #include "call.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/light"
)

// loadedScene is a render.Scene in the form that the kernels read.
type loadedScene struct {
	scene     *render.Scene
	shading   *render.Shading // shading for which the kernels' data are currently set
	geometry  *raster.Geometry
	marks     *raster.Marks
	memory    memory
	shadows   *shadows // nil if light is natural
	natural   *natural // nil if light is plain
	kernel    *C.scene
	materials []C.material
	textures  map[*render.Texture]*C.picture
}

func loadScene(s *render.Scene, workers int) (*loadedScene, error) {
	marks, err := raster.NewMarks(&s.Floor, s.Room.Margin)
	if err != nil {
		return nil, err
	}
	g := &loadedScene{scene: s, geometry: raster.Bake(s), marks: marks}
	g.kernel = &newArray[C.scene](&g.memory, 1)[0]
	g.loadGeometry()
	if g.natural = newNatural(s, g.geometry, &g.memory, g.kernel); g.natural == nil {
		g.shadows = newShadows(s, g.geometry, &g.memory, &g.kernel.light, workers)
	}
	g.loadMarks()
	g.loadTextures()
	k, floor, room := g.kernel, &s.Floor, &s.Room
	halfX, halfY := floor.SizeX/2, floor.SizeY/2
	k.carpet_half = [2]C.float{C.float(halfX), C.float(halfY)}
	k.hall_half = [2]C.float{C.float(halfX + room.Margin), C.float(halfY + room.Margin)}
	k.line, k.hall_floor, k.wall_height, k.wear = floats(floor.LineColor), floats(room.Floor), C.float(room.Height),
		C.float(floor.Wear)
	k.floor_reflectance, k.wall_reflectance = C.float(render.Infrared(room.Floor)), C.float(render.Infrared(room.Wall))
	if room.Solid {
		k.solid = 1
	}
	g.shade(&s.Shading)
	return g, nil
}

func floats(v mgl32.Vec3) [3]C.float { return [3]C.float{C.float(v[0]), C.float(v[1]), C.float(v[2])} }

// loadGeometry copies the vertices and triangles of all levels. The corners of triangles are indices that count from
// the first vertex of their part.
func (g *loadedScene) loadGeometry() {
	var position, normal, mesh [3][]C.float
	for axis := range position {
		position[axis] = newArray[C.float](&g.memory, len(g.geometry.Vertices))
		normal[axis] = newArray[C.float](&g.memory, len(g.geometry.Vertices))
		mesh[axis] = newArray[C.float](&g.memory, len(g.geometry.Vertices))
		g.kernel.position[axis], g.kernel.normal[axis], g.kernel.mesh[axis] = first(position[axis]),
			first(normal[axis]), first(mesh[axis])
	}
	for i := range g.geometry.Vertices {
		v := &g.geometry.Vertices[i]
		n := v.UnitNormal()
		for axis := range position {
			position[axis][i], normal[axis][i], mesh[axis][i] = C.float(v.Pos[axis]), C.float(n[axis]),
				C.float(v.PosM[axis])
		}
	}
	var corner [3][]C.int32_t
	for i := range corner {
		corner[i] = newArray[C.int32_t](&g.memory, len(g.geometry.Indices)/3)
		g.kernel.corner[i] = first(corner[i])
	}
	for i := range g.geometry.Bodies {
		for k := range g.geometry.Bodies[i].Parts {
			p := &g.geometry.Bodies[i].Parts[k]
			for _, l := range p.Levels {
				for at := l.First; at < l.First+l.Count; at++ {
					corner[at%3][at/3] = C.int32_t(int(g.geometry.Indices[at]) - p.FirstVertex)
				}
			}
		}
	}
	g.kernel.net_pitch, g.kernel.net_thread = render.NetPitch, render.NetThread
	g.materials = newArray[C.material](&g.memory, len(g.scene.Materials))
	g.kernel.materials = first(g.materials)
	g.textures = map[*render.Texture]*C.picture{}
	for i := range g.scene.Materials {
		g.loadTexture(g.scene.Materials[i].Texture)
	}
	if f := g.scene.Floor.Image; f != nil {
		g.loadTexture(f.Texture)
		scale, offset := f.Place()
		g.kernel.image_scale, g.kernel.image_offset = [2]C.float{C.float(scale[0]), C.float(scale[1])},
			[2]C.float{C.float(offset[0]), C.float(offset[1])}
	}
}

// loadTexture copies a texture, unless it has done so before.
func (g *loadedScene) loadTexture(t *render.Texture) {
	if t != nil && g.textures[t] == nil {
		to := &newArray[C.picture](&g.memory, 1)[0]
		texels, levels := packedTexture(t)
		g.loadPicture(to, t.Levels[0], texels, levels)
		g.textures[t] = to
	}
}

// first returns a pointer to an array's first element. The pointer must not be used if the array is empty.
func first[T any](array []T) *T { return unsafe.SliceData(array) }

func (g *loadedScene) loadMarks() {
	g.kernel.marks = C.int32_t(len(g.marks.Data) / 2)
	for i, x := range g.marks.Data {
		for k := range x {
			g.kernel.mark[i%2*4+k][i/2] = C.float(x[k])
		}
	}
}

// loadTextures copies the carpet's grain and, if there is one, the picture on the walls.
func (g *loadedScene) loadTextures() {
	g.kernel.grain = (*C.uint32_t)(first(copied(&g.memory, packedGrain(&g.scene.Floor))))
	if floor := &g.scene.Floor; g.natural != nil {
		g.kernel.seam_pitch, g.kernel.seam_dark = C.float(floor.Seams.Pitch), C.float(floor.Seams.Dark)
		if floor.Seams.Pitch > 0 {
			g.kernel.seams_per_metre = C.float(1 / floor.Seams.Pitch)
		} else {
			g.kernel.seam_dark = 0
		}
		if t := floor.Traces; t != nil {
			g.kernel.traces = (*C.uint32_t)(first(copied(&g.memory, packedTraces(t))))
			g.kernel.traces_per_metre = C.float(render.TraceTexels / t.Size)
		}
	}
	room := &g.scene.Room
	if room.Picture == nil {
		return
	}
	texels, levels := packedPicture(room.Picture)
	g.loadPicture(&g.kernel.crowd, room.Picture, texels, levels)
	g.kernel.crowd_repeats = C.float(1 / room.PictureWidth)
	g.kernel.crowd_texels = C.float(float64(room.Picture.Width) / room.PictureWidth)
}

// loadPicture copies an image's levels. The argument levels holds their offsets in texels.
func (g *loadedScene) loadPicture(to *C.picture, im *render.Image, texels []uint32, levels []int) {
	to.texels = (*C.uint32_t)(first(copied(&g.memory, texels)))
	to.width, to.height, to.levels = C.int32_t(im.Width), C.int32_t(im.Height), C.int32_t(len(levels))
	for i, at := range levels {
		to.first[i] = C.int32_t(at)
	}
}

// shade sets the light and the materials of a shading.
func (g *loadedScene) shade(s *render.Shading) {
	k, l := g.kernel, &s.Light
	k.to_lamp, k.lamp, k.sky, k.bounce = floats(l.DirectionW), floats(l.Lamp), floats(l.Sky), floats(l.Bounce)
	k.background, k.tube, k.hall_wall = floats(l.Background), floats(l.Tube), floats(l.Wall)
	k.carpet = floats(g.scene.Floor.Reflectance(s.Carpet))
	k.carpet_reflectance = C.float(render.Infrared(g.scene.Floor.Reflectance(s.Carpet)))
	if f := g.scene.Floor.Image; f != nil {
		k.image = C.material{color2: floats(s.Carpet)}
		g.setTexture(&k.image, f.Texture)
	}
	k.spots, k.shadowless = C.int32_t(len(l.Spots)), 0
	if l.Shadowless {
		k.shadowless = 1
	}
	if n := g.natural; n == nil {
		g.shadows.shade(l)
	} else {
		if g.shading != nil { // n already has the initial shading, which is the scene's own
			n.shadowMap = n.shadowMap.Shade(s)
			n.load()
		}
		k.natural, k.shadowless, k.wall_height = 1, 1, C.float(n.field.Height)
		sheen := &n.field.Sheen
		// The kernels compute the sheen as a single fraction.
		k.sheen = [3]C.float{C.float(sheen.Rise[0] + sheen.Rise[1]), C.float(sheen.Rise[0]*light.SheenNear[1] +
			sheen.Rise[1]*light.SheenNear[0]), C.float(sheen.Rest)}
		k.sheen_tint = floats(sheen.Tint)
		k.sheen_near = [2]C.float{C.float(light.SheenNear[0]), C.float(light.SheenNear[1])}
	}
	g.shading = s
	for i, p := range l.Spots {
		k.spot_at[i], k.spot_light[i] = floats(p.PosW), floats(p.Light)
	}
	for i, m := range s.Materials {
		g.materials[i] = C.material{color: floats(m.Color), color2: floats(m.Color2), gloss: C.float(m.Gloss),
			shininess:   C.float(m.Shininess),
			reflectance: C.float(m.Reflectance()),
			pattern:     C.int32_t(m.Pattern), f0: floats(m.F0), roughness: C.float(math.Sqrt(float64(m.Roughness)))}
		first, second := light.Sharper(float64(m.Roughness))
		g.materials[i].sharper = [2]C.float{C.float(first), C.float(second)}
		if m.Metal {
			g.materials[i].metal = 1
		}
		if m.Texture != nil {
			g.setTexture(&g.materials[i], m.Texture)
		}
	}
}

// setTexture gives a material a texture that has been loaded.
func (g *loadedScene) setTexture(m *C.material, t *render.Texture) {
	m.texture, m.wrap = g.textures[t], [2]C.int32_t{C.int32_t(t.Wrap[0]), C.int32_t(t.Wrap[1])}
}
