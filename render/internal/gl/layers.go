package gl

import (
	"fmt"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// layersDefine is the preprocessor definition of programs that draw several views at once, each into its own layer.
const layersDefine = "LAYERS"

// layers holds the framebuffers of the views that are drawn at once. All have the same size, and each view is a layer
// of the textures. In the sheets, the finished images stand below each other.
type layers struct {
	width, height, n int32
	used             uint64 // value of painter.frame at the last use
	bodyFBO          uint32
	colorFBO         uint32
	zFBO             uint32 // 0 until depth images are first requested
	bodies           uint32 // textures
	color, above, z  uint32
	pixels           sheet // of the colour's bytes, four in a texel
	cells            sheet // of render.Image.Above
	depths           sheet
	truth            truthLayers
	buffers          []uint32 // other textures
}

// sheet is a texture of images below each other, from which all are read at once.
type sheet struct {
	fbo, texture  uint32
	width, height int32 // of one image
	format, kind  uint32
	texel         int // bytes of a texel as it is read
}

// size is the number of bytes of one image.
func (s *sheet) size() int { return int(s.width) * int(s.height) * s.texel }

func newLayers(width, height, n int32) (*layers, error) {
	l := &layers{width: width, height: height, n: n}
	l.bodies = l.samples(gl.SRGB8_ALPHA8)
	depth := l.samples(gl.DEPTH_COMPONENT24)
	l.color = l.images(gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE)
	l.buffers = append(l.buffers, depth)
	err := l.attach(&l.bodyFBO, l.bodies, depth)
	if err == nil {
		err = l.attach(&l.colorFBO, l.color, 0)
	}
	if err == nil {
		err = l.pixels.init((3*width+3)/4, height, n, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, 4)
	}
	if err != nil {
		l.delete()
		return nil, err
	}
	return l, nil
}

// samples makes a texture with several samples per pixel.
func (l *layers) samples(format uint32) uint32 {
	var id uint32
	gl.GenTextures(1, &id)
	gl.ActiveTexture(gl.TEXTURE0 + bodiesUnit)
	gl.BindTexture(gl.TEXTURE_2D_MULTISAMPLE_ARRAY, id)
	gl.TexImage3DMultisample(gl.TEXTURE_2D_MULTISAMPLE_ARRAY, samples, format, l.width, l.height, l.n, true)
	return id
}

// images makes a texture with one sample per pixel.
func (l *layers) images(format int32, of, kind uint32) uint32 {
	id := newTextureOf(gl.TEXTURE_2D_ARRAY, layersUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER,
		gl.NEAREST)
	gl.TexImage3D(gl.TEXTURE_2D_ARRAY, 0, format, l.width, l.height, l.n, 0, of, kind, nil)
	return id
}

// attach makes a framebuffer of all layers of two textures. depth may be 0.
func (l *layers) attach(fbo *uint32, color, depth uint32) error {
	gl.GenFramebuffers(1, fbo)
	gl.BindFramebuffer(gl.FRAMEBUFFER, *fbo)
	gl.FramebufferTexture(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, color, 0)
	if depth != 0 {
		gl.FramebufferTexture(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, depth, 0)
	}
	return complete(l.width, l.height, l.n)
}

// complete returns an error unless the bound framebuffer can be drawn to.
func complete(width, height, n int32) error {
	status := gl.CheckFramebufferStatus(gl.FRAMEBUFFER)
	if err := glError("framebuffer"); err != nil || status == gl.FRAMEBUFFER_COMPLETE {
		return err
	}
	return fmt.Errorf("render/gl: framebuffer of %d×%d×%d: incomplete, status %#x", width, height, n, status)
}

// addDepth adds what depth images need.
func (l *layers) addDepth() error {
	if l.zFBO != 0 {
		return nil
	}
	l.z = l.images(gl.R32F, gl.RED, gl.FLOAT)
	depth := l.images(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT)
	l.buffers = append(l.buffers, depth)
	if err := l.attach(&l.zFBO, l.z, depth); err != nil {
		return err
	}
	return l.depths.init(l.width, l.height, l.n, gl.R32F, gl.RED, gl.FLOAT, 4)
}

// addAbove adds what images need that keep the light above white.
func (l *layers) addAbove() error {
	if l.above != 0 {
		return nil
	}
	l.above = l.images(gl.RGBA16F, gl.RGBA, gl.FLOAT)
	gl.BindFramebuffer(gl.FRAMEBUFFER, l.colorFBO)
	gl.FramebufferTexture(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT1, l.above, 0)
	cols, rows := render.Cells(int(l.width), int(l.height))
	return l.cells.init(int32(cols), int32(rows), l.n, gl.RGBA32F, gl.RGB, gl.FLOAT, 12)
}

// init makes a sheet of n images of width × height texels. internalFormat is the texture's, and format and kind those
// in which it is read.
func (s *sheet) init(width, height, n int32, internalFormat int32, format, kind uint32, texel int) error {
	*s = sheet{width: width, height: height, format: format, kind: kind, texel: texel}
	s.texture = newTexture(layersUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, internalFormat, width, height*n, 0, format, kind, nil)
	gl.GenFramebuffers(1, &s.fbo)
	gl.BindFramebuffer(gl.FRAMEBUFFER, s.fbo)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, s.texture, 0)
	return complete(width, height*n, 1)
}

// fill draws the first n images of a sheet, from the layers of a texture.
func (s *sheet) fill(n int, with *program, unit, images uint32) {
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(gl.TEXTURE_2D_ARRAY, images)
	gl.BindFramebuffer(gl.FRAMEBUFFER, s.fbo)
	gl.Viewport(0, 0, s.width, s.height*int32(n))
	gl.UseProgram(with.id)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
}

// read starts copying the first n images of a sheet to a buffer.
func (s *sheet) read(n int, into *packBuffer) {
	into.bind(n*s.size(), int(s.width)*s.texel)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, s.fbo)
	gl.ReadPixels(0, 0, s.width, s.height*int32(n), s.format, s.kind, nil)
}

func (s *sheet) delete() {
	gl.DeleteFramebuffers(1, &s.fbo)
	gl.DeleteTextures(1, &s.texture)
}

func (l *layers) delete() {
	l.truth.delete()
	for _, s := range []*sheet{&l.pixels, &l.cells, &l.depths} {
		s.delete()
	}
	for _, fbo := range []uint32{l.bodyFBO, l.colorFBO, l.zFBO} {
		gl.DeleteFramebuffers(1, &fbo)
	}
	for _, texture := range append(l.buffers, l.bodies, l.color, l.above, l.z) {
		gl.DeleteTextures(1, &texture)
	}
	*l = layers{}
}
