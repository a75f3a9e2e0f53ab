package dataset

import (
	"bytes"
	"fmt"
)

// write writes the files of an image, and adds their names to its frame.
func (x *shot) write(o *folder, p *pictures) error {
	c, f, l := x.scene.Config, &x.frame, x.eye.labels
	name := func(kind, suffix string) string { return fmt.Sprintf("%s/%s/%07d%s", kind, f.Part, f.Number, suffix) }
	put := func(file string, data []byte, err error) error {
		if err == nil {
			err = o.write(file, data)
		}
		return err
	}
	beside := func(kind string, data []byte, err error) error {
		f.Beside = append(f.Beside, name(kind, ".png"))
		return put(name(kind, ".png"), data, err)
	}
	f.File = name("images", ".png")
	if c.JPEG > 0 {
		f.File = name("images", ".jpg")
	}
	data, err := p.color(x.seen.Color, c.JPEG)
	if err := put(f.File, data, err); err != nil {
		return err
	}
	if x.seen.Depth != nil && c.writes(Depth) {
		data, err := p.measured(x.seen.Depth)
		if err := beside("measured", data, err); err != nil {
			return err
		}
	}
	if c.writes(Masks) {
		data, err := p.classes(l, x.scene.things, x.eye.index)
		if err := beside("classes", data, err); err != nil {
			return err
		}
		data, err = p.instances(l, x.numbers)
		if err := beside("instances", data, err); err != nil {
			return err
		}
	}
	if c.writes(Depth) {
		kind, encode := "depth", func() ([]byte, error) { return p.depths(l, x.eye.rays) }
		if x.eye.looksUp { // with a mirror, there is no depth along an axis
			kind, encode = "range", func() ([]byte, error) { return p.ranges(l) }
		}
		data, err := encode()
		if err := beside(kind, data, err); err != nil {
			return err
		}
		data, err = p.normals(l)
		if err := beside("normals", data, err); err != nil {
			return err
		}
	}
	if c.writes(Flow) {
		data, err := p.flow(l)
		if err := beside("flow", data, err); err != nil {
			return err
		}
	}
	if c.writes(YOLO) {
		f.Beside = append(f.Beside, name("labels", ".txt"))
		return put(name("labels", ".txt"), yoloLines(f), nil)
	}
	return nil
}

// yoloLines returns a line for each object of an image: its class, and the centre, width and height of its box as
// fractions of the image's size, from its left and upper edge.
func yoloLines(f *Frame) []byte {
	var out bytes.Buffer
	w, h := float64(f.Width), float64(f.Height)
	for i := range f.Objects {
		b := f.Objects[i].Box
		fmt.Fprintf(&out, "%d %.6f %.6f %.6f %.6f\n", categoryOf(f.Objects[i].Category).ID-1,
			(float64(b[0])+float64(b[2])/2)/w, (float64(b[1])+float64(b[3])/2)/h, float64(b[2])/w, float64(b[3])/h)
	}
	return out.Bytes()
}

// categoryOf returns the category with a name.
func categoryOf(name string) *Category {
	for i := range Categories {
		if Categories[i].Name == name {
			return &Categories[i]
		}
	}
	return nil
}
