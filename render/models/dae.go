package models

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// xmlElement is an element of a COLLADA file.
type xmlElement struct {
	name     string
	text     []byte
	attrs    map[string]string
	children []*xmlElement
	line     int
}

// child returns the first descendant along a path of names. It returns nil if there is none, as for a nil receiver.
func (e *xmlElement) child(path ...string) *xmlElement {
	for _, name := range path {
		var next *xmlElement
		if e != nil {
			for _, c := range e.children {
				if c.name == name {
					next = c
					break
				}
			}
		}
		e = next
	}
	return e
}

// dae reads a COLLADA file. Source: Khronos, "COLLADA – Digital Asset Schema Release 1.4.1".
type dae struct {
	*plain
	ids    map[string]*xmlElement
	floats map[*xmlElement][]float64 // of sources that have been read
	visits int                       // see visit
}

// readDAE reads the triangles of a COLLADA file's scene, with the poses of its nodes, and with the diffuse colours of
// its materials. As in RViz and Gazebo, the file's axes are not turned upright.
func readDAE(p *plain, data []byte) error {
	d := dae{plain: p, ids: map[string]*xmlElement{}, floats: map[*xmlElement][]float64{}}
	top, err := d.parse(data)
	if err != nil {
		return err
	}
	if unit := top.child("asset", "unit"); unit != nil && unit.attrs["meter"] != "" {
		meter, err := strconv.ParseFloat(unit.attrs["meter"], 64)
		if err != nil || !(meter > 0 && meter <= 1e4) {
			return fmt.Errorf("line %d: meter = %.40q: must be in (0, 10000]", unit.line, unit.attrs["meter"])
		}
		p.scale *= meter
	}
	if up := top.child("asset", "up_axis"); up != nil && string(bytes.TrimSpace(up.text)) != "Z_UP" {
		d.leave("turn to z up", fmt.Sprintf("%s:%d: %.20s", d.file, up.line, bytes.TrimSpace(up.text)))
	}
	for _, name := range []string{"library_animations", "library_controllers"} {
		if e := top.child(name); e != nil {
			d.leaveAt(strings.TrimPrefix(name, "library_"), e)
		}
	}
	scene := d.refer(top.child("scene", "instance_visual_scene"))
	if scene == nil {
		scene = top.child("library_visual_scenes", "visual_scene")
	}
	if scene == nil {
		return errors.New("has no visual_scene")
	}
	return d.node(scene, mgl64.Ident4(), 0)
}

// parse reads the elements, and notes those with an id.
func (d *dae) parse(data []byte) (*xmlElement, error) {
	const deepest = 128
	decoder := xml.NewDecoder(bytes.NewReader(data))
	open := []*xmlElement{{}}
	for {
		token, err := decoder.Token()
		line, _ := decoder.InputPos()
		if token == nil {
			if top := open[0].child("COLLADA"); top != nil && len(open) == 1 {
				return top, nil
			}
			return nil, fmt.Errorf("line %d: is no COLLADA: %w", line, cmp.Or(err, errors.New("no element COLLADA")))
		}
		inner := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &xmlElement{name: t.Name.Local, attrs: map[string]string{}, line: line}
			for _, a := range t.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if id := e.attrs["id"]; id != "" && d.ids[id] == nil {
				d.ids[id] = e
			}
			inner.children, open = append(inner.children, e), append(open, e)
			if len(open) > deepest {
				return nil, fmt.Errorf("line %d: elements are nested more than %d deep", line, deepest)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			inner.text = append(inner.text, t...)
		}
	}
}

// leaveAt notes an element that is left out.
func (d *dae) leaveAt(kind string, e *xmlElement) {
	d.leave(kind, fmt.Sprintf("%s:%d", d.file, e.line))
}

// refer returns the element to which an instance or an input refers. It returns nil if there is none.
func (d *dae) refer(e *xmlElement) *xmlElement {
	if e == nil {
		return nil
	}
	return d.ids[strings.TrimPrefix(cmp.Or(e.attrs["url"], e.attrs["source"], e.attrs["target"]), "#")]
}

// numbers returns the numbers in the text of an element.
func (d *dae) numbers(e *xmlElement) ([]float64, error) {
	if e == nil {
		return nil, nil
	}
	if known, ok := d.floats[e]; ok {
		return known, nil
	}
	var all []float64
	for field := range bytes.FieldsSeq(e.text) {
		v, err := strconv.ParseFloat(string(field), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("line %d: <%s>: %.40q: must be a number", e.line, e.name, field)
		}
		all = append(all, v)
	}
	d.floats[e] = all
	return all, nil
}

// visit counts an element and its children. It bounds the work on elements that are instantiated again and again.
func (d *dae) visit(e *xmlElement) error {
	const most = 10 * maxParts
	if d.visits += 1 + len(e.children); d.visits > most {
		return fmt.Errorf("line %d: has more than %d elements, counted as often as nodes refer to them", e.line, most)
	}
	return nil
}

// node adds what a node and the nodes below it show. Its transforms apply in the order of the file.
func (d *dae) node(e *xmlElement, above mgl64.Mat4, depth int) error {
	const deepest = 64
	if depth > deepest {
		return fmt.Errorf("line %d: nodes are nested more than %d deep", e.line, deepest)
	}
	if err := d.visit(e); err != nil {
		return err
	}
	at := above
	for _, c := range e.children {
		var err error
		switch c.name {
		case "matrix", "translate", "rotate", "scale":
			var by mgl64.Mat4
			by, err = d.transform(c)
			at = at.Mul4(by)
		case "node":
			err = d.node(c, at, depth+1)
		case "instance_node":
			if of := d.refer(c); of != nil {
				err = d.node(of, at, depth+1)
			}
		case "instance_geometry":
			if mesh := d.refer(c).child("mesh"); mesh != nil {
				err = d.mesh(mesh, c, at)
			}
		case "skew", "lookat", "instance_controller", "instance_light", "instance_camera":
			d.leaveAt(c.name, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// transform returns the matrix of a transform of a node.
func (d *dae) transform(e *xmlElement) (mgl64.Mat4, error) {
	v, err := d.numbers(e)
	if want := map[string]int{"matrix": 16, "rotate": 4}[e.name]; err == nil && len(v) != cmp.Or(want, 3) {
		err = fmt.Errorf("line %d: <%s> has %d numbers: must be %d", e.line, e.name, len(v), cmp.Or(want, 3))
	}
	switch {
	case err != nil:
		return mgl64.Mat4{}, err
	case e.name == "matrix":
		return mgl64.Mat4(v).Transpose(), nil
	case e.name == "translate":
		return mgl64.Translate3D(v[0], v[1], v[2]), nil
	case e.name == "scale":
		return mgl64.Scale3D(v[0], v[1], v[2]), nil
	}
	axis := mgl64.Vec3(v[:3])
	if axis.Len() == 0 {
		return mgl64.Ident4(), nil
	}
	return mgl64.HomogRotate3D(mgl64.DegToRad(v[3]), axis.Normalize()), nil
}

// mesh adds the polygons of a mesh. The instance binds materials to their symbols.
func (d *dae) mesh(mesh, instance *xmlElement, at mgl64.Mat4) error {
	if err := cmp.Or(d.visit(mesh), d.visit(instance)); err != nil {
		return err
	}
	for _, e := range mesh.children {
		switch e.name {
		case "triangles", "polylist":
			err := d.visit(e)
			if err == nil {
				err = d.material(instance, e.attrs["material"])
			}
			if err == nil {
				err = d.polygons(e, at)
			}
			if err != nil {
				return fmt.Errorf("line %d: <%s>: %w", e.line, e.name, err)
			}
		case "lines", "linestrips", "trifans", "tristrips", "polygons":
			d.leaveAt(e.name, e)
		}
	}
	return nil
}

// material gives the next polygons the material that an instance binds to a symbol.
func (d *dae) material(instance *xmlElement, symbol string) error {
	bound := d.ids[symbol] // some programs write the id of the material
	if list := instance.child("bind_material", "technique_common"); list != nil {
		if err := d.visit(list); err != nil {
			return err
		}
		for _, m := range list.children {
			if m.name == "instance_material" && m.attrs["symbol"] == symbol {
				bound = d.refer(m)
			}
		}
	}
	technique := d.refer(bound.child("instance_effect")).child("profile_COMMON", "technique")
	if technique == nil {
		d.paint("", nil)
		return nil
	}
	color := mgl32.Vec3{0.8, 0.8, 0.8}
	for _, shading := range technique.children { // such as <phong>
		if err := d.visit(shading); err != nil {
			return err
		}
		for _, of := range shading.children {
			v, err := d.numbers(of.child("color"))
			switch {
			case of.child("texture") != nil:
				d.leaveAt(of.name+" textures", of)
			case of.name == "diffuse" && err == nil && len(v) >= 3:
				for k := range color { // as a screen has it
					color[k] = float32(render.Linear(min(max(v[k], 0), 1)))
				}
			case of.name == "transparent" || of.name == "transparency":
				d.leaveAt(of.name, of)
			}
		}
	}
	d.paint(bound.attrs["id"], func() render.Material { return painted(color) })
	return nil
}

// input is a list of numbers to which polygons refer.
type input struct {
	numbers        []float64
	stride, offset int
}

// at returns the vector of an input for the indices of a polygon's corner.
func (in *input) at(indices []float64) (mgl64.Vec3, error) {
	index := indices[in.offset]
	if i := int(index); index >= 0 && index < 1e9 && in.stride >= 3 && (i+1)*in.stride <= len(in.numbers) {
		return mgl64.Vec3(in.numbers[i*in.stride:][:3]), nil
	}
	return mgl64.Vec3{}, fmt.Errorf("index %v: must be that of one of %d", index, len(in.numbers)/in.stride)
}

// inputs returns the inputs of polygons by their semantics, and the number of indices of a corner.
func (d *dae) inputs(e *xmlElement) (all map[string]*input, stride int, err error) {
	all = map[string]*input{}
	add := func(in *xmlElement, offset int) error {
		source := d.refer(in)
		array := source.child("float_array")
		accessor := source.child("technique_common", "accessor")
		if array == nil || all[in.attrs["semantic"]] != nil {
			return nil
		}
		numbers, err := d.numbers(array)
		width := 1
		if accessor != nil && accessor.attrs["stride"] != "" {
			width, _ = strconv.Atoi(accessor.attrs["stride"])
		}
		all[in.attrs["semantic"]] = &input{numbers, min(max(width, 1), 64), offset}
		return err
	}
	for _, c := range e.children {
		if c.name != "input" {
			continue
		}
		offset, err := strconv.Atoi(cmp.Or(c.attrs["offset"], "0"))
		if err != nil || offset < 0 || offset > 63 {
			return nil, 0, fmt.Errorf("offset = %.20q: must be in [0, 63]", c.attrs["offset"])
		}
		stride = max(stride, offset+1)
		list := []*xmlElement{c}
		if v := d.refer(c); c.attrs["semantic"] == "VERTEX" && v != nil {
			if err := d.visit(v); err != nil {
				return nil, 0, err
			}
			list = v.children
		}
		for _, in := range list {
			if err := add(in, offset); err != nil {
				return nil, 0, err
			}
		}
	}
	if all["POSITION"] == nil {
		return nil, 0, errors.New("has no positions")
	}
	return all, stride, nil
}

// polygons adds triangles or polygons.
func (d *dae) polygons(e *xmlElement, at mgl64.Mat4) error {
	inputs, stride, err := d.inputs(e)
	if err != nil {
		return err
	}
	counts, err := d.numbers(e.child("vcount"))
	if err != nil {
		return err
	}
	turn, mirrored := at.Mat3(), at.Mat3().Det() < 0
	normals := turn.Inv().Transpose() // 0 for a matrix without an inverse, as of a flat mesh
	indices, err := d.numbers(e.child("p"))
	if err != nil {
		return err
	}
	for k := 0; len(indices) >= stride; k++ {
		n := 3.0
		if e.name == "polylist" {
			if k == len(counts) {
				return nil
			}
			n = counts[k]
		}
		if !(n >= 1 && n*float64(stride) <= float64(len(indices))) {
			return fmt.Errorf("polygon %d: has %v corners, and there are indices of %d", k, n, len(indices)/stride)
		}
		corners := make([]polygonCorner, int(n))
		for i := range corners {
			if err := corners[i].set(inputs, indices[i*stride:], at, normals); err != nil {
				return err
			}
		}
		if mirrored { // so that it faces the same side
			slices.Reverse(corners)
		}
		if err := d.fan(corners); err != nil {
			return err
		}
		indices = indices[int(n)*stride:]
	}
	return nil
}

// set sets a corner from its indices, in the file's frame.
func (c *polygonCorner) set(inputs map[string]*input, indices []float64, at mgl64.Mat4, normals mgl64.Mat3) error {
	v, err := inputs["POSITION"].at(indices)
	c.pos = mgl64.TransformCoordinate(v, at)
	if in := inputs["NORMAL"]; in != nil && err == nil {
		if v, err = in.at(indices); v.Len() > 0 {
			c.normal = normals.Mul3x1(v.Normalize())
		}
	}
	return err
}
