package gl

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

//go:embed shaders/*.glsl shaders/*.vert shaders/*.frag
var shaderFiles embed.FS

// Bindings that are the same in all programs.
const (
	viewBinding    = 0
	sceneBinding   = 1
	marksBinding   = 2
	naturalBinding = 3

	noiseUnit      = 0
	lightUnit      = 1
	gridUnit       = 2
	shadowUnit     = 3
	bodiesUnit     = 4
	raysUnit       = 5
	seenUnit       = 6
	crowdUnit      = 7
	cubeUnit       = 8
	irradianceUnit = 9
	probesUnit     = 10
	tracesUnit     = 11
	aboveUnit      = 12
	textureUnit    = 13
	imageUnit      = 14
	motionsUnit    = 15
	labelsUnit     = 16
	rangesUnit     = 17
	normalsUnit    = 18
	flowsUnit      = 19
	posesUnit      = 30
	layersUnit     = 31
)

// program is a linked pair of shaders.
type program struct {
	id   uint32
	pose int32 // location of the uniform poseWB, −1 if absent
}

// newProgram links two shaders. The arguments vertex and fragment are lists of files, separated by spaces. These files
// follow the common files and the definitions. The first common file states the GLSL version.
func newProgram(vertex, fragment string, common []string, defines ...string) (*program, error) {
	p := &program{id: gl.CreateProgram()}
	for _, s := range []struct {
		kind uint32
		file string
	}{{gl.VERTEX_SHADER, vertex}, {gl.FRAGMENT_SHADER, fragment}} {
		shader, err := compile(s.kind, append(common[:len(common):len(common)], strings.Fields(s.file)...), defines)
		if err != nil {
			p.delete()
			return nil, err
		}
		gl.AttachShader(p.id, shader)
		gl.DeleteShader(shader) // the shader is deleted together with the program
	}
	gl.LinkProgram(p.id)
	var ok int32
	if gl.GetProgramiv(p.id, gl.LINK_STATUS, &ok); ok == gl.FALSE {
		var log [2048]uint8
		gl.GetProgramInfoLog(p.id, int32(len(log)), nil, &log[0])
		p.delete()
		return nil, fmt.Errorf("render/gl: %s, %s: link: %s", vertex, fragment, gl.GoStr(&log[0]))
	}
	for name, binding := range map[string]uint32{"View": viewBinding, "Scene": sceneBinding, "Marks": marksBinding,
		"Natural": naturalBinding} {
		if i := gl.GetUniformBlockIndex(p.id, gl.Str(name+"\x00")); i != gl.INVALID_INDEX {
			gl.UniformBlockBinding(p.id, i, binding)
		}
	}
	gl.UseProgram(p.id)
	for name, unit := range map[string]int32{
		"noise": noiseUnit, "floorLightMap": lightUnit, "grid": gridUnit, "shadowMap": shadowUnit, "bodies": bodiesUnit,
		"rays": raysUnit, "seen": seenUnit,
		"crowdMap": crowdUnit, "cube": cubeUnit, "irradiance": irradianceUnit, "probes": probesUnit,
		"tracesMap": tracesUnit, "above": aboveUnit, "surfaceMap": textureUnit, "imageMap": imageUnit,
		"poses": posesUnit, "images": layersUnit, "motions": motionsUnit,
		"labels": labelsUnit, "ranges": rangesUnit, "normals": normalsUnit, "flows": flowsUnit,
	} {
		if l := gl.GetUniformLocation(p.id, gl.Str(name+"\x00")); l >= 0 {
			gl.Uniform1i(l, unit)
		}
	}
	p.pose = p.uniform("poseWB")
	return p, nil
}

// uniform returns the location of a uniform, −1 if it is absent.
func (p *program) uniform(name string) int32 { return gl.GetUniformLocation(p.id, gl.Str(name+"\x00")) }

func compile(kind uint32, files, defines []string) (uint32, error) {
	var text strings.Builder
	for i, file := range files {
		data, err := shaderFiles.ReadFile("shaders/" + file)
		if err != nil {
			return 0, fmt.Errorf("render/gl: %w", err)
		}
		source := string(data)
		if i == 0 {
			version, rest, _ := strings.Cut(source, "\n")
			text.WriteString(version + "\n")
			if kind == gl.VERTEX_SHADER {
				text.WriteString("#define VERTEX\n")
			}
			for _, d := range defines {
				text.WriteString("#define " + d + "\n")
			}
			source = rest
		}
		text.WriteString(source)
	}
	shader := gl.CreateShader(kind)
	source, free := gl.Strs(text.String() + "\x00")
	defer free()
	gl.ShaderSource(shader, 1, source, nil)
	gl.CompileShader(shader)
	var ok int32
	if gl.GetShaderiv(shader, gl.COMPILE_STATUS, &ok); ok == gl.FALSE {
		var log [2048]uint8
		gl.GetShaderInfoLog(shader, int32(len(log)), nil, &log[0])
		gl.DeleteShader(shader)
		return 0, fmt.Errorf("render/gl: %s: compile: %s", files[len(files)-1], gl.GoStr(&log[0]))
	}
	return shader, nil
}

func (p *program) delete() {
	if p != nil {
		gl.DeleteProgram(p.id)
	}
}

// marksDefine is the preprocessor definition of the number of markings.
func marksDefine(marks int) string { return fmt.Sprint("MARKS ", max(marks, 1)) }

// programs holds the programs for one kind of camera.
type programs struct {
	mesh, ball, net *program
	textured        *program // nil if the scene has no textures
	floor           [2 * raster.TileClasses]*program
}

func newPrograms(marks int, defines ...string) (p programs, err error) {
	common, object := []string{"common.glsl", "texture.glsl"}, []string{"common.glsl", "texture.glsl", "project.glsl"}
	vertex := "mesh.vert"
	if slices.Contains(defines, "NATURAL") {
		vertex = "natural.vert"
	}
	with := func(more ...string) []string { return append(more, defines...) }
	type wanted struct {
		into    **program
		defines []string
	}
	all := []wanted{{&p.mesh, with()}, {&p.ball, with("PATTERN", "BALL")},
		{&p.net, with("PATTERN", "NET", fmt.Sprint("NET_PITCH ", render.NetPitch), fmt.Sprint("NET_THREAD ",
			render.NetThread))}}
	if slices.Contains(defines, "TEXTURES") {
		all = append(all, wanted{&p.textured, with("PATTERN", "TEXTURED")})
	}
	for _, want := range all {
		if *want.into, err = newProgram(vertex, "mesh.frag", object, want.defines...); err != nil {
			return p, err
		}
	}
	room := marksDefine(marks)
	for class, shows := range tileDefines {
		if slices.Contains(defines, layersDefine) && raster.TileClass(class) != raster.FloorTile {
			continue // all images of a group are drawn with the program that shows everything
		}
		of := with(append(shows, room)...)
		const vertex, fragment = "aim.glsl tile.vert", "ray.glsl edge.glsl hall.glsl marks.glsl floor.frag"
		if p.floor[class], err = newProgram(vertex, fragment, common, of...); err != nil {
			return p, err
		}
		if p.floor[raster.TileClass(class)+raster.WithBodies], err = newProgram(vertex, fragment, common,
			append(of, "BODIES")...); err != nil {
			return p, err
		}
	}
	return p, nil
}
