package mjcf

import (
	"fmt"
	"path"
	"strings"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// reader reads one file.
type reader struct {
	markup.Reader
	robot    *articulated.Robot
	compiler compiler
	main     *class
	classes  map[string]*class
	meshes   map[string]mesh
	colors   map[string]*[4]float64 // of materials
	taken    map[string]int         // how often each name was given, by kind and name
	free     bool                   // the robot's root moves freely
	world    string                 // link that carries the root, if there is one
}

// compiler has the settings of <compiler>.
type compiler struct {
	unit       float64 // of angles, rad
	order      string  // of Euler angles
	autoLimits bool
	meshDir    string
	stripPath  bool
	fromGeoms  string // when geoms give a body's mass: auto, true or false
	groups     [2]float64
	total      float64 // mass of the robot, kg; not positive: that of the file
}

// mesh is a mesh file of <asset>.
type mesh struct {
	file   string
	scale  [3]float64
	poseGM spatial.Pose // pose of the file's axes in those of a geom
}

// Parse reads an MJCF file. The filename is for messages only. The error joins all problems that were found, each a
// [markup.Error].
func Parse(filename string, data []byte) (*articulated.Robot, error) {
	r := &reader{Reader: markup.Reader{File: filename}, classes: map[string]*class{}, meshes: map[string]mesh{},
		colors: map[string]*[4]float64{}, taken: map[string]int{}}
	top, err := r.Parse(data, nil)
	if err == nil && top.Name != "mujoco" {
		err = &markup.Error{File: filename, Place: top.Place,
			Rule: fmt.Sprintf("must begin with <mujoco>, as MJCF does: it is <%.40s>", top.Name)}
	}
	if err != nil {
		return nil, err
	}
	r.robot = &articulated.Robot{File: filename, Place: top.Place}
	r.robot.Name, _ = top.Attr("model")
	r.read(top)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := r.robot.Connect(); err != nil {
		return nil, err
	}
	for _, name := range []string{"sensor", "contact", "equality", "tendon", "keyframe", "custom"} {
		for _, section := range top.All(name) { // each of what is in them is listed
			for _, e := range section.Children {
				if name == "sensor" {
					e.Why = e.String() + " of <sensor>"
				}
			}
		}
	}
	r.robot.Skipped = append(markup.Unused(top), r.robot.Skipped...)
	return r.robot, nil
}

// read reads the sections of a file.
func (r *reader) read(top *markup.Element) {
	for _, e := range top.All("include") {
		r.Fail(e, "files that include others are not read: give the included file, or put the text of both into one")
	}
	r.settings(top.All("compiler"))
	r.main = &class{of: map[string][]*markup.Element{}}
	r.classes["main"] = r.main
	for _, e := range top.All("default") {
		r.defaults(e, nil)
	}
	for _, e := range top.All("asset") {
		r.assets(e)
	}
	worlds := top.All("worldbody")
	for _, e := range worlds {
		r.take(e)
	}
	if root := r.root(worlds); root != nil && r.Err() == nil {
		r.tree(*root)
	}
	if r.Err() != nil {
		return
	}
	r.settle()
	r.actuators(top.All("actuator"))
	r.exclusions(top.All("contact"))
	r.start(top.All("keyframe"))
}

// settings reads <compiler>.
func (r *reader) settings(all []*markup.Element) {
	c := &r.compiler
	*c = compiler{unit: spatial.Degree, order: "xyz", autoLimits: true, fromGeoms: "auto", groups: [2]float64{0, 5}}
	for _, e := range all {
		switch angle := r.oneOf(e, "angle", "", "degree", "radian"); angle {
		case "degree":
			c.unit = spatial.Degree
		case "radian":
			c.unit = 1
		}
		if seq, ok := e.Attr("eulerseq"); ok {
			if len(seq) != 3 || strings.Trim(seq, "xyzXYZ") != "" {
				r.Fail(e, "eulerseq = %.60q: must be three of x, y, z, X, Y and Z", seq)
			} else {
				c.order = seq
			}
		}
		c.autoLimits = r.flag(e, "autolimits", c.autoLimits)
		if dir, ok := e.Attr("assetdir"); ok {
			c.meshDir = dir
		}
		if dir, ok := e.Attr("meshdir"); ok {
			c.meshDir = dir
		}
		e.Attr("texturedir") // textures are listed
		c.stripPath = r.flag(e, "strippath", c.stripPath)
		c.fromGeoms = r.oneOf(e, "inertiafromgeom", c.fromGeoms, "auto", "true", "false")
		r.Floats(e, "inertiagrouprange", false, &c.groups[0], &c.groups[1])
		r.Floats(e, "settotalmass", false, &c.total)
		for _, name := range []string{"usethread", "fusestatic"} {
			e.Attr(name) // of no effect on the robot
		}
	}
}

// oneOf returns the value of an attribute that must be one of some words.
func (r *reader) oneOf(e *markup.Element, name, otherwise string, words ...string) string {
	value, ok := e.Attr(name)
	if !ok {
		return otherwise
	}
	for _, w := range words {
		if value == w {
			return value
		}
	}
	r.Fail(e, "%s = %.60q: must be %s", name, value, strings.Join(words, " or "))
	return otherwise
}

func (r *reader) flag(e *markup.Element, name string, otherwise bool) bool {
	return r.oneOf(e, name, fmt.Sprint(otherwise), "true", "false") == "true"
}

// assets reads the meshes and the materials of a file. Textures are listed.
func (r *reader) assets(e *markup.Element) {
	for _, a := range e.All("mesh") {
		m := r.thing(a, nil)
		file, ok := m.text("file")
		name, named := a.Attr("name")
		if !named {
			name = strings.TrimSuffix(path.Base(file), path.Ext(file))
		}
		if !ok || file == "" {
			a.Used, a.Why = false, fmt.Sprintf("<mesh name=%.60q> without a file", name)
			continue
		}
		if r.compiler.stripPath {
			file = path.Base(strings.ReplaceAll(file, "\\", "/"))
		}
		if !path.IsAbs(file) {
			file = path.Join(r.compiler.meshDir, file)
		}
		to := mesh{file: file, scale: [3]float64{1, 1, 1}, poseGM: spatial.Identity()}
		r.floats(m, "scale", &to.scale[0], &to.scale[1], &to.scale[2])
		if to.scale[0]*to.scale[1]*to.scale[2] == 0 {
			r.Fail(a, "scale = %v: no number may be 0", to.scale)
		}
		at := spatial.Identity()
		r.vector(m, "refpos", &at.Pos)
		at.Rot = r.quaternion(m, "refquat")
		to.poseGM = at.Inverse()
		r.meshes[name] = to
	}
	for _, a := range e.All("material") {
		m := r.thing(a, nil)
		color := [4]float64{1, 1, 1, 1}
		r.color(m, &color)
		name, _ := a.Attr("name")
		r.colors[name] = &color
	}
}

// color reads the attribute rgba.
func (r *reader) color(t thing, color *[4]float64) {
	r.floats(t, "rgba", &color[0], &color[1], &color[2], &color[3])
	for _, x := range color {
		if !(x >= 0 && x <= 1) {
			r.Fail(t.Element, "rgba = %v: must lie in [0, 1]", *color)
			return
		}
	}
}

// take counts the names of the bodies and joints that are in an element.
func (r *reader) take(e *markup.Element) {
	for _, c := range e.Children {
		switch c.Name {
		case "body", "joint", "freejoint":
			for _, a := range c.Attrs {
				if a.Name == "name" {
					r.taken[strings.TrimPrefix(c.Name, "free")+" "+strings.TrimSpace(a.Value)]++
				}
			}
		}
		r.take(c)
	}
}

// name returns the name of an element, or one that is made of the owner's and that no other has.
func (r *reader) name(e *markup.Element, kind, owner string) string {
	name, ok := e.Attr("name")
	if ok && name != "" {
		if name = r.Required(e, "name"); r.taken[kind+" "+name] > 1 {
			r.Fail(e, "the file has this name twice")
		}
		return name
	}
	for {
		key := kind + " " + owner
		if r.taken[key]++; r.taken[key] == 1 {
			return owner
		}
		owner = fmt.Sprintf("%s_%d", owner, r.taken[key])
	}
}
