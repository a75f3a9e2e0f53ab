package gl

import (
	"math"
	"reflect"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
)

// cube is the cube map through which the views of one camera model are drawn, one view after the other.
type cube struct {
	target
	model   optics.Model
	texture uint32 // a cube map of linear light
	faces   []face // the faces that the camera model can see
}

// face is a face of a cube.
type face struct {
	index  int          // in OpenGL's order
	model  optics.Model // model of the visible part of the face
	poseCF spatial.Pose // pose of the face's optical frame in the camera's optical frame
}

// cubeFaces are the optical frames of a cube map's faces in OpenGL's order. Each is given by its axes right, down and
// forward in the cube's frame. The cube's y axis is the axis of the camera's optics. The cube's frame is left-handed.
// So faces seen from inside look like camera images, and the rows of the four side faces start at the axis.
var cubeFaces = [6][3]mgl64.Vec3{
	{{0, 0, -1}, {0, -1, 0}, {1, 0, 0}},
	{{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
	{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, // the face in the direction of the centre of the image
	{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
	{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
	{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
}

// faceRows returns the number of visible rows of each face, for optics that see up to the angle rim from their axis. A
// mirror shows only part of the side faces. The sixth face is visible only if rim exceeds 125.26°, the angle of that
// face's corners from the axis.
func faceRows(size int, rim float64) (rows [6]int) {
	corner := math.Pi/2 + math.Atan(math.Sqrt2/2)
	side := 0
	if rim > math.Pi/4 {
		end := math.Tan(math.Min(rim, corner) - math.Pi/2)
		if end > 0 {
			end *= math.Sqrt2 // at a face's left and right edges, the visible part reaches farther
		}
		const border = 2 // texels, for the filter
		side = min(size, int(math.Ceil(float64(size)/2*(1+end)))+border)
	}
	rows = [6]int{side, side, size, 0, side, side}
	if rim > corner {
		rows[3] = size
	}
	return rows
}

// newFaces returns the faces of a cube around a camera. The centre of the camera's image looks along z times axis,
// which is 1 or −1.
func newFaces(size int, axis, rim float64) (faces []face) {
	toOptical := func(q mgl64.Vec3) mgl64.Vec4 { return mgl64.Vec4{q[0], axis * q[2], axis * q[1]} }
	half := float64(size) / 2
	for i, rows := range faceRows(size, rim) {
		if rows > 0 {
			f := &cubeFaces[i]
			turn := mgl64.Mat4FromCols(toOptical(f[0]), toOptical(f[1]), toOptical(f[2]), mgl64.Vec4{3: 1})
			faces = append(faces, face{
				index:  i,
				model:  optics.Pinhole{Width: size, Height: rows, FX: half, FY: half, CX: half - 0.5, CY: half - 0.5},
				poseCF: spatial.Pose{Rot: mgl64.Mat4ToQuat(turn)},
			})
		}
	}
	return faces
}

// newCube returns the cube for a view. The second argument is the prepared camera of the view.
func newCube(v *render.View, from *raster.Camera) (*cube, error) {
	size := int32(v.CubeFace)
	axis, reach := from.Reach()
	c := &cube{target: target{width: size, height: size}, model: v.Model, faces: newFaces(v.CubeFace, axis, reach)}
	gl.GenTextures(1, &c.texture)
	c.bind()
	for i := range uint32(len(cubeFaces)) {
		gl.TexImage2D(gl.TEXTURE_CUBE_MAP_POSITIVE_X+i, 0, gl.RGBA16F, size, size, 0, gl.RGBA, gl.FLOAT, nil)
	}
	gl.TexParameteri(gl.TEXTURE_CUBE_MAP, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
	gl.TexParameteri(gl.TEXTURE_CUBE_MAP, gl.TEXTURE_MAG_FILTER, gl.LINEAR)
	err := c.addBodies()
	if err == nil {
		c.colorFBO, err = c.framebuffer(0, 0, 0, gl.TEXTURE_CUBE_MAP_POSITIVE_X, c.texture)
	}
	if err != nil {
		c.delete()
		return nil, err
	}
	return c, nil
}

func (c *cube) bind() {
	gl.ActiveTexture(gl.TEXTURE0 + cubeUnit)
	gl.BindTexture(gl.TEXTURE_CUBE_MAP, c.texture)
}

// open makes a face the target of the following draw calls.
func (c *cube) open(f *face) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, c.colorFBO)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_CUBE_MAP_POSITIVE_X+uint32(f.index),
		c.texture, 0)
}

func (c *cube) delete() {
	c.target.delete()
	gl.DeleteTextures(1, &c.texture)
}

// maxCubes is the largest number of cached cubes. When it is reached, a new cube replaces the oldest. A cube with faces
// of 512 pixels takes 14 MB.
const maxCubes = 16

// cubes caches cubes, and the programs that make images from them.
type cubes struct {
	all           []*cube
	mirror, table *program // made on first use
}

// get returns the cube for a view, either from the cache or newly made. The second argument is the prepared camera of
// the view.
func (cs *cubes) get(v *render.View, from *raster.Camera) (*cube, error) {
	for _, c := range cs.all {
		if int(c.width) == v.CubeFace && reflect.DeepEqual(c.model, v.Model) {
			return c, nil
		}
	}
	c, err := newCube(v, from)
	if err != nil {
		return nil, err
	}
	if len(cs.all) == maxCubes {
		cs.all[0].delete()
		cs.all = cs.all[:copy(cs.all, cs.all[1:])]
	}
	cs.all = append(cs.all, c)
	return c, nil
}

// warp returns the program that makes a camera's images from its cube, compiled with further definitions.
func (cs *cubes) warp(c *raster.Camera, defines []string) (*program, error) {
	into, define := &cs.mirror, "MIRROR"
	if c.Lens != nil {
		into, define = &cs.table, "TABLE"
	}
	if *into == nil {
		p, err := newProgram("aim.glsl warp.vert", "ray.glsl edge.glsl warp.frag", []string{"common.glsl"},
			append(defines, define)...)
		if err != nil {
			return nil, err
		}
		*into = p
	}
	return *into, nil
}

// addFaces prepares a view for each face of the cubes that the given views need.
func (p *painter) addFaces(views []render.View) error {
	p.faces = p.faces[:0]
	for i := range views {
		p.faces = append(p.faces, len(p.cameras))
		if v := &views[i]; v.CubeFace > 0 {
			through, err := p.cubes.get(v, &p.cameras[i])
			if err != nil {
				return err
			}
			for k := range through.faces {
				face := &through.faces[k]
				f := render.View{Model: face.model, PoseWC: v.PoseWC.Mul(face.poseCF), Hidden: v.Hidden}
				if err := p.addCamera(&f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// throughCube draws a view through its cube: it draws the cube's faces, and from them the image in a target.
func (p *painter) throughCube(f *render.Batch, index int, t *target) error {
	v, c := &f.Views[index], &p.cameras[index]
	through, err := p.cubes.get(v, c)
	if err != nil {
		return err
	}
	warp, err := p.cubes.warp(c, p.layered)
	if err != nil {
		return err
	}
	for i := range through.faces {
		at := p.faces[index] + i
		p.aim(at)
		p.visible.Collect(p.geometry.bodies, f.PosesWB, &p.cameras[at], v.Hidden)
		p.batches.fill(p.geometry.bodies, &p.visible)
		through.open(&through.faces[i])
		p.color(&p.cameras[at], &through.target, false)
	}
	p.aim(index)
	if c.Lens != nil {
		p.lenses.bind(c.Lens)
	}
	through.bind()
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.colorFBO)
	gl.Enable(gl.FRAMEBUFFER_SRGB)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(warp.id)
	gl.BindVertexArray(p.empty)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	gl.Enable(gl.DEPTH_TEST)
	gl.Enable(gl.CULL_FACE)
	gl.Disable(gl.FRAMEBUFFER_SRGB)
	return nil
}
