package worlds

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/mjcf"
	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/urdf"
)

// maxMeshTriangles is the largest number of triangles in all mesh files of a world's robots. Public robots have up to a
// million, and a renderer needs one to two kilobytes for each.
const maxMeshTriangles = 1_000_000

// described is a robot that a file describes.
type described struct {
	*articulated.Robot
	format *format
	file   string // from which it was read, as messages name it
	path   string // in the file system of the world's files, or of those that ship
	text   string
	ships  bool
	loaded map[string]*render.Group     // meshes by the names in the file
	looks  map[string]*articulated.Look // by the names of the driven joints
	hidden map[string][]string          // what images do not show of a mesh
}

// format is a format of files that describe robots.
type format struct {
	key      string   // of Robot
	suffixes []string // of files that can be named as models
	parse    func(filename string, data []byte) (*articulated.Robot, error)
}

// formats lists all formats. The URDF reader refuses files of xacro with advice.
var formats = []format{
	{"urdf", []string{".urdf", ".xacro"}, urdf.Parse},
	{"mjcf", []string{".xml", ".mjcf"}, mjcf.Parse},
}

// formatOf returns the format of a file by its name, or nil if the name is not that of such a file.
func formatOf(name string) *format {
	for i := range formats {
		if slices.Contains(formats[i].suffixes, filepath.Ext(name)) {
			return &formats[i]
		}
	}
	return nil
}

// description returns the key that names the file that describes a robot, and its format, or nil. The argument other is
// a second such key.
func description(robot *schema.Node) (key *schema.Node, named *format, other *schema.Node) {
	for i := range formats {
		switch found := robot.Get(formats[i].key); {
		case found != nil && key == nil:
			key, named = found, &formats[i]
		case found != nil:
			other = found
		}
	}
	return key, named, other
}

// isDescribed reports whether a file describes a robot.
func isDescribed(robot *schema.Node) bool {
	key, _, _ := description(robot)
	return key != nil
}

// parseDescribed returns a robot model that names a file in a format and gives nothing else.
func parseDescribed(filename string, f *format) (*schema.File, error) {
	text := f.key + " = " + articulated.Quote(path.Base(filepath.ToSlash(filename))) + "\n"
	return schema.ParseMade(filename, []byte(text), []schema.Pos{{File: filename, Line: 1, Col: 1}})
}

// described reads the file in a format that another file names. It reads each file once.
func (s *sources) described(name, from string, f *format) (*described, error) {
	file, ships := strings.CutPrefix(name, embeddedPrefix)
	if !ships {
		file, ships = propFile(s.models.In, name, from)
	}
	key := fmt.Sprint(ships, f.key, file)
	if d := s.robotFiles[key]; d != nil {
		return d, nil
	}
	shown, data, err := file, []byte(nil), error(nil)
	if ships {
		shown = embeddedPrefix + file
		data, err = shipped.ReadFile(file)
	} else {
		data, err = s.models.In.Read(file, schema.MaxBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, files.Cause(err))
	}
	if s.bytes += len(data); s.bytes > maxFileBytes {
		return nil, fmt.Errorf("%s: is one too many: a world's files have at most %d MiB", shown, maxFileBytes>>20)
	}
	robot, err := f.parse(shown, data)
	if err != nil {
		return nil, err
	}
	d := &described{robot, f, shown, file, string(data), ships, map[string]*render.Group{},
		map[string]*articulated.Look{}, map[string][]string{}}
	if s.robotFiles == nil {
		s.robotFiles = map[string]*described{}
	}
	s.robotFiles[key] = d
	return d, nil
}

// meshes returns a function that loads the meshes of a robot, each once. The meshes have the axes of the robot's file.
func (s *sources) meshes(d *described) articulated.Meshes {
	return func(name string) (*render.Group, error) {
		if g := d.loaded[name]; g != nil {
			return g, nil
		}
		g, err := s.mesh(d, name)
		if err == nil {
			d.loaded[name] = g
		}
		return g, err
	}
}

func (s *sources) mesh(d *described, name string) (*render.Group, error) {
	if d.ships {
		return nil, errors.New("a robot that ships has no meshes")
	}
	found, err := meshFile(s.models.In, d.path, name)
	if err != nil {
		return nil, err
	}
	m := s.meshFiles[found]
	if m == nil {
		// each file may be as large as all models of a world's props
		lib := models.Library{In: s.models.In}
		if m, err = lib.Load(found, 1); err != nil {
			return nil, err
		}
		if s.meshFiles == nil {
			s.meshFiles = map[string]*models.Model{}
		}
		s.meshFiles[found] = m
	}
	for i := range m.Parts {
		s.triangles += len(m.Meshes[m.Parts[i].Mesh].Indices) / 3
	}
	if s.triangles > maxMeshTriangles {
		return nil, fmt.Errorf("has too many triangles: the meshes of a world's robots have at most %d in all",
			maxMeshTriangles)
	}
	d.hidden[name] = m.LeftOut
	g := *m.Group
	if m.Plain {
		g.Materials = make([]render.Material, len(g.Materials)) // the material in the robot's file counts
	} else if !m.FileAxes { // glTF: y up, as in a Group, and x to the right, where a Group has -y
		g.Parts = append([]render.Part(nil), g.Parts...)
		for i := range g.Parts {
			p := &g.Parts[i].PoseBP
			*p = spatial.Planar(0, 0, -90*spatial.Degree).Mul(*p)
		}
	}
	return &g, nil
}

// meshFile returns the path of a mesh that a robot's file names. In package://NAME/PATH, the package is a folder NAME
// that contains the file or is beside one that does. Among the files that came with a world, meshes lie where
// bundledMesh says.
func meshFile(in *files.FS, file, name string) (string, error) {
	if in != nil {
		return path.Join(path.Dir(file), bundledMesh(name)), nil
	}
	scheme, rest, ok := strings.Cut(name, "://")
	switch {
	case !ok:
		return besides(file, name), nil
	case scheme == "file":
		return rest, nil
	case scheme != "package" && scheme != "model":
		return "", fmt.Errorf("must begin with package:// or file://, or be a path relative to the robot file's folder")
	}
	pack, inside, _ := strings.Cut(rest, "/")
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	for above := folder; ; above = filepath.Dir(above) {
		at := filepath.Join(above, pack)
		if filepath.Base(above) == pack {
			at = above
		}
		if found := filepath.Join(at, inside); inside != "" {
			if _, err := in.Stat(found); err == nil {
				return found, nil
			}
		}
		if above == filepath.Dir(above) {
			return "", fmt.Errorf("no such file: searched for a folder %s with %s beside and above %s", pack, inside, folder)
		}
	}
}

// bundledMesh returns the path, relative to the folder of the robot's file, of a mesh in a bundle. The name is that in
// the file.
func bundledMesh(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("meshes/%x/%s", sum[:8], path.Base(name))
}

// bindDescribed binds a robot that a file describes, which its model or its own keys name. What the file gives lies
// below the models, so that they and the robot override it.
func (r *Robot) bindDescribed(n *schema.Node, bases []*schema.Node) error {
	s, all := sourcesOf(n), n.Over(bases...)
	key, named, other := description(all)
	at := key // a file that is named as a model is named there
	if model := n.Get("model"); model != nil && formatOf(key.File()) != nil {
		at = model
	}
	refuse := func(err error) error { return errors.Join(at.Errorf("%w", err), r.bindWithoutModel(n)) }
	name, ok := key.Text()
	if !ok {
		return r.bindWithoutModel(n)
	}
	if other != nil {
		return errors.Join(other.Errorf("%s is given, too: one file must describe the robot", named.key),
			r.bindWithoutModel(n))
	}
	d, err := s.described(name, key.File(), named)
	if err != nil {
		return refuse(err)
	}
	drive := all.Get("drive")
	if drive == nil {
		return refuse(fmt.Errorf("[robot.drive] must be given for a robot that a file describes, as in differential = { left = [\"…\"], "+
			"right = [\"…\"] } with the joints of its driven wheels%s", d.Drivable()))
	}
	var driven *articulated.Differential
	if table := drive.Get("differential"); table != nil {
		driven = &articulated.Differential{Left: texts(table.Get("left")), Right: texts(table.Get("right"))}
		if len(driven.Left) == 0 || len(driven.Right) == 0 {
			return table.Bind(&physics.Differential{})
		}
	}
	layer, err := d.layer(driven, s.meshes(d))
	if err != nil {
		return refuse(err)
	}
	layer.Context = s
	err = n.Bind(r, append([]*schema.Node{layer.Root()}, bases...)...)
	if r.Drive.Differential = nil; err != nil {
		if m, _ := d.Mechanism(nil, s.meshes(d)); m != nil { // so that sensors and animations find their joints
			r.mechanism = *m
			err = errors.Join(err, r.bindAnimations(all))
		}
		return err
	}
	var joints []string
	for _, w := range r.Drive.Wheels {
		if w.Joint != "" {
			joints = append(joints, w.Joint)
		}
	}
	r.described, r.joints = d, joints
	if d.ships {
		r.describedBy(d.file)
	} else {
		r.describedBy(d.path)
	}
	if r.look, err = d.look(joints, s.meshes(d)); err != nil {
		return at.Errorf("%w", err)
	}
	m, err := d.Mechanism(joints, s.meshes(d))
	if err != nil {
		return at.Errorf("%w", err)
	}
	r.mechanism = *m
	return r.bindAnimations(all)
}

// describedBy names the file that describes the robot.
func (r *Robot) describedBy(file string) {
	if r.URDF, r.MJCF = "", ""; r.described == nil {
		return
	}
	switch r.described.format.key {
	case "urdf":
		r.URDF = file
	case "mjcf":
		r.MJCF = file
	}
}

// texts returns the strings in the array of a key. It returns nil if there are other values in it.
func texts(n *schema.Node) (all []string) {
	if n == nil {
		return nil
	}
	list, _ := n.Value().([]any)
	for _, e := range list {
		text, ok := e.(string)
		if !ok {
			return nil
		}
		all = append(all, text)
	}
	return all
}

// layer returns the keys that the file gives, as a robot model.
func (d *described) layer(driven *articulated.Differential, meshes articulated.Meshes) (*schema.File, error) {
	text, places, err := d.Model(driven, meshes)
	if err != nil {
		return nil, err
	}
	at := make([]schema.Pos, len(places))
	for i, p := range places {
		at[i] = schema.Pos{File: d.file, Line: p.Line, Col: p.Col}
	}
	return schema.ParseMade(d.file, text, at)
}

// look returns the robot's visual shapes. Robots on the same wheels share them.
func (d *described) look(joints []string, meshes articulated.Meshes) (*articulated.Look, error) {
	key := strings.Join(joints, "\n")
	if g := d.looks[key]; g != nil {
		return g, nil
	}
	g, err := d.Look(joints, meshes)
	if err == nil {
		d.looks[key] = g
	}
	return g, err
}

// Look returns the visual shapes of a robot that a file describes. It returns nil for others.
func (r *Robot) Look() *articulated.Look { return r.look }

// Description returns the text of the URDF of a robot. It returns "" for a robot that is not described in URDF.
func (r *Robot) Description() string {
	if r.described == nil || r.described.format.key != "urdf" {
		return ""
	}
	return r.described.text
}

// Joints returns the joints of a robot that move, those of its wheels included, and the index of the first one in
// physics.Snapshot.Joints. Only robots that a file describes have joints.
func (w *World) Joints(robot int) (joints []physics.Joint, first int) {
	for i := range robot {
		first += len(w.Robots[i].mechanism.Joints)
	}
	return w.Robots[robot].mechanism.Joints, first
}

// describedWarnings returns a line for each kind of thing that a robot's file has and the robot has not.
func (w *World) describedWarnings() (all []string) {
	seen := map[*described]bool{}
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.described == nil || seen[r.described] {
			continue
		}
		seen[r.described] = true
		for _, note := range r.described.NotCarriedOver(r.joints, r.described.hidden) {
			at := note.Places[0]
			e := &schema.Error{Pos: schema.Pos{File: r.described.file, Line: at.Line, Col: at.Col},
				Rule: "warning: not carried over: " + note.String()}
			all = append(all, e.Error())
		}
	}
	return all
}
