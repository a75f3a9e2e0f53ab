package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// readCOCO reads a file as the description of the format requires (cocodataset.org, "Data format", object detection and
// key points). It fails for a missing field or a wrong type, for duplicate or unknown identifiers, for masks that
// differ from box and area, and for image files of another size. It ignores fields that the description does not have.
func readCOCO(file, images string) (*cocoFile, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var raw map[string]any
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	r := reader{}
	top := r.object("file", raw)
	r.object("info", top("info", map[string]any{}))
	r.list("licenses", top("licenses", []any{}))
	f := &cocoFile{images: map[int]cocoSize{}, files: map[int]string{}, categories: map[int]cocoCategory{}}
	names := map[string]bool{}
	for i, x := range r.list("categories", top("categories", []any{})) {
		at := fmt.Sprintf("categories[%d]", i)
		get := r.object(at, x)
		id, c := r.integer(at+".id", get("id", 0.0)), cocoCategory{name: get("name", "").(string)}
		get("supercategory", "")
		for k, point := range r.list(at+".keypoints", get("keypoints", []any{})) {
			if _, ok := point.(string); !ok {
				r.fail("%s.keypoints[%d] = %v: must be a name", at, k, point)
			}
			c.points++
		}
		for k, edge := range r.list(at+".skeleton", get("skeleton", []any{})) {
			for _, end := range r.list(at+".skeleton", edge) {
				if n := r.integer(at+".skeleton", end); n < 1 || n > c.points {
					r.fail("%s.skeleton[%d]: point %d of %d", at, k, n, c.points)
				}
			}
		}
		if _, known := f.categories[id]; known || id < 1 || names[c.name] || c.name == "" {
			r.fail("%s: id = %d, name = %q: must be others than those of any before", at, id, c.name)
		}
		f.categories[id], names[c.name] = c, true
	}
	used := map[string]bool{}
	for i, x := range r.list("images", top("images", []any{})) {
		at := fmt.Sprintf("images[%d]", i)
		get := r.object(at, x)
		id, name := r.integer(at+".id", get("id", 0.0)), get("file_name", "").(string)
		size := cocoSize{r.integer(at+".width", get("width", 0.0)), r.integer(at+".height", get("height", 0.0))}
		if _, known := f.images[id]; known || used[name] {
			r.fail("%s: id = %d, file_name = %q: must be others than those of any before", at, id, name)
		}
		f.images[id], f.files[id], used[name] = size, name, true
		if in, err := sizeOf(filepath.Join(images, name)); err != nil || in != size {
			r.fail("%s: %s is of %v pixels, error %v, want %v", at, name, in, err, size)
		}
	}
	for i, x := range r.list("annotations", top("annotations", []any{})) {
		f.annotations = append(f.annotations, r.annotation(fmt.Sprintf("annotations[%d]", i), x, f))
	}
	ids := map[int]bool{}
	for i := range f.annotations {
		if id := f.annotations[i].id; ids[id] || id < 1 {
			r.fail("annotations[%d].id = %d: must be another", i, id)
		}
		ids[f.annotations[i].id] = true
	}
	return f, errors.Join(r.errs...)
}

type cocoFile struct {
	images      map[int]cocoSize
	files       map[int]string
	categories  map[int]cocoCategory
	annotations []cocoAnnotation
}

type cocoSize struct{ width, height int }

type cocoCategory struct {
	name   string
	points int
}

type cocoAnnotation struct {
	id, image, category int
	mask                []bool // row by row
	box                 [4]int
	points              [][3]float64
	raw                 map[string]any
}

// reader collects errors.
type reader struct{ errs []error }

func (r *reader) fail(format string, args ...any) {
	if len(r.errs) < 20 {
		r.errs = append(r.errs, fmt.Errorf(format, args...))
	}
}

// object returns a function that gets a field of x. The field must exist and have the type of the example; otherwise
// the function returns the example.
func (r *reader) object(where string, x any) func(key string, example any) any {
	m, ok := x.(map[string]any)
	if !ok {
		r.fail("%s: is a %T, and no object", where, x)
	}
	return func(key string, example any) any {
		v, ok := m[key]
		if !ok || reflect.TypeOf(v) != reflect.TypeOf(example) {
			r.fail("%s.%s = %v: must be there, as a %T", where, key, v, example)
			return example
		}
		return v
	}
}

func (r *reader) list(where string, x any) []any {
	l, ok := x.([]any)
	if !ok {
		r.fail("%s: is a %T, and no list", where, x)
	}
	return l
}

func (r *reader) integer(where string, x any) int {
	v, ok := x.(float64)
	if !ok || v != math.Trunc(v) || v < 0 {
		r.fail("%s = %v: must be a whole number", where, x)
	}
	return int(v)
}

func (r *reader) annotation(at string, x any, f *cocoFile) (a cocoAnnotation) {
	get := r.object(at, x)
	a.raw, _ = x.(map[string]any)
	a.id, a.image, a.category = r.integer(at+".id", get("id", 0.0)), r.integer(at+".image_id", get("image_id", 0.0)),
		r.integer(at+".category_id", get("category_id", 0.0))
	size, ok := f.images[a.image]
	category, known := f.categories[a.category]
	if !ok || !known {
		r.fail("%s: image_id = %d, category_id = %d: must be known", at, a.image, a.category)
		return a
	}
	if crowd := r.integer(at+".iscrowd", get("iscrowd", 0.0)); crowd != 0 {
		r.fail("%s.iscrowd = %d: must be 0 of one object", at, crowd)
	}
	mask := r.object(at+".segmentation", get("segmentation", map[string]any{}))
	if s := r.list(at+".segmentation.size", mask("size", []any{})); len(s) != 2 || s[0] != float64(size.height) ||
		s[1] != float64(size.width) {
		r.fail("%s.segmentation.size = %v: must be height and width of an image of %v", at, s, size)
	}
	var err error
	if a.mask, err = decodedMask(size.width, size.height, mask("counts", "").(string)); err != nil {
		r.fail("%s.segmentation.counts: %v", at, err)
		return a
	}
	pixels, bounds := 0, [4]int{size.width, size.height, 0, 0}
	for i, in := range a.mask {
		if in {
			pixels++
			bounds = [4]int{min(bounds[0], i%size.width), min(bounds[1], i/size.width), max(bounds[2], i%size.width+1),
				max(bounds[3], i/size.width+1)}
		}
	}
	if area := get("area", 0.0); area != float64(pixels) || pixels == 0 {
		r.fail("%s.area = %v: must be the %d pixels of the mask, and more than 0", at, area, pixels)
	}
	a.box = [4]int{bounds[0], bounds[1], bounds[2] - bounds[0], bounds[3] - bounds[1]}
	for k, v := range r.list(at+".bbox", get("bbox", []any{})) {
		if k > 3 || v != float64(a.box[k]) {
			r.fail("%s.bbox[%d] = %v: must be that of the mask's bounds, %v", at, k, v, a.box)
		}
	}
	points, known3 := r.list(at+".keypoints", get("keypoints", []any{})), 0
	if len(points) != 3*category.points {
		r.fail("%s.keypoints: are %d numbers, want 3 each for %d points", at, len(points), category.points)
		return a
	}
	for k := 0; k < len(points); k += 3 {
		u, v, flag := points[k].(float64), points[k+1].(float64), points[k+2].(float64)
		inside := u >= -0.5 && v >= -0.5 && u < float64(size.width)-0.5 && v < float64(size.height)-0.5
		if flag != 0 && flag != 1 && flag != 2 || flag == 0 && (u != 0 || v != 0) || !inside {
			r.fail("%s.keypoints[%d] = %v, %v, %v: must be in the image with flag 1 or 2, or 0, 0, 0", at, k/3, u, v,
				flag)
		}
		if flag > 0 {
			known3++
		}
		a.points = append(a.points, [3]float64{u, v, flag})
	}
	if n := r.integer(at+".num_keypoints", get("num_keypoints", 0.0)); n != known3 {
		r.fail("%s.num_keypoints = %d: must be %d", at, n, known3)
	}
	return a
}

func sizeOf(file string) (cocoSize, error) {
	f, err := os.Open(file)
	if err != nil {
		return cocoSize{}, err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(f)
	return cocoSize{c.Width, c.Height}, err
}

// decoded reads a PNG file.
func decoded(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	must.Do(t, err)
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return m
}

// TestCOCOIsRead checks that COCO files pass the strict reader above. Masks must be exactly the pixels of their objects
// in the image of objects, and have the classes of these objects.
func TestCOCOIsRead(t *testing.T) {
	for _, quality := range []int{0, 90} {
		out := t.TempDir()
		must.Get(made(t, out, func(c *Config) {
			c.JPEG, c.PerScene, c.Formats = quality, 4,
				[]Format{COCO, Masks}
		}))(t)
		frames, objects, seen := 0, 0, map[string]int{}
		for _, part := range Parts {
			f, err := readCOCO(filepath.Join(out, "annotations", "instances_"+part+".json"),
				filepath.Join(out, "images"))
			if err != nil {
				t.Fatalf("%s: %v", part, err)
			}
			frames += len(f.images)
			for id, name := range f.files {
				if !strings.HasPrefix(name, part+"/") {
					t.Errorf("%s is in the file of %s", name, part)
				}
				name = strings.TrimSuffix(name, filepath.Ext(name)) + ".png"
				instances, classes := decoded(t, filepath.Join(out, "instances", name)).(*image.Gray16),
					decoded(t, filepath.Join(out, "classes", name)).(*image.Gray)
				taken := make([]int, len(classes.Pix))
				for i := range f.annotations {
					a := &f.annotations[i]
					if a.image != id {
						continue
					}
					objects++
					seen[f.categories[a.category].name]++
					number := int(a.raw["instance"].(float64))
					for p, in := range a.mask {
						x, y := p%f.images[id].width, p/f.images[id].width
						if got := int(instances.Gray16At(x, y).Y); (got == number) != in {
							t.Fatalf("%s: pixel (%d, %d) is of object %d, and in the mask of object %d: %v", name, x, y,
								got, number, in)
						}
						if in {
							taken[p]++
							if got := int(classes.GrayAt(x, y).Y); got != firstCategory+a.category {
								t.Fatalf("%s: pixel (%d, %d) of a %s has class %d", name, x, y,
									f.categories[a.category].name, got)
							}
						}
					}
				}
				for p, n := range taken {
					if class := classes.Pix[p]; n > 1 || (n == 1) != (class > firstCategory) {
						t.Fatalf("%s: pixel %d of class %d is in %d masks", name, p, class, n)
					}
				}
			}
		}
		if frames != 14 || objects < 40 {
			t.Errorf("%d frames with %d objects", frames, objects)
		}
		for _, c := range Categories {
			if seen[c.Name] == 0 && c.Name != "robot_cyan" { // there is only one cyan robot, and it carries the cameras
				t.Errorf("no %s is seen", c.Name)
			}
		}
	}
}

// TestReaderIsStrict checks that files which break a rule of the format do not pass the reader.
func TestReaderIsStrict(t *testing.T) {
	out := t.TempDir()
	must.Get(made(t, out, func(c *Config) { c.Frames, c.Formats = 2, []Format{COCO} }))(t)
	file := filepath.Join(out, "annotations", "instances_train.json")
	text, err := os.ReadFile(file)
	must.Do(t, err)
	must.Get(readCOCO(file, filepath.Join(out, "images")))(t)
	for _, change := range [][2]string{
		{`"id":1,"image_id":1`, `"id":2,"image_id":1`}, {`"image_id":1`, `"image_id":9`}, {`"bbox":[`, `"bbox":[1`},
		{`"area":`, `"area":1`}, {`"iscrowd":0`, `"iscrowd":1`},
		{`"counts":"`, `"counts":"0`}, {`"size":[120,160]`, `"size":[160,120]`},
		{`"num_keypoints":`, `"num_keypoints":7`}, {`"width":160`, `"width":161`},
		{`"file_name":"train/0000000`, `"file_name":"train/0000009`}, {`"category_id":`, `"category_id":9`},
		{`"supercategory":"ball"`, `"supercategory":1`}, {`"annotations"`, `"annotation"`},
	} {
		other := strings.Replace(string(text), change[0], change[1], 1)
		if other == string(text) {
			t.Fatalf("%s is not in the file", change[0])
		}
		wrong := filepath.Join(t.TempDir(), "wrong.json")
		must.Do(t, os.WriteFile(wrong, []byte(other), 0o600))
		if _, err := readCOCO(wrong, filepath.Join(out, "images")); err == nil {
			t.Errorf("%s in place of %s passes", change[1], change[0])
		}
	}
}

// TestYOLO compares the lines of YOLO files with the boxes of the index.
func TestYOLO(t *testing.T) {
	out := t.TempDir()
	must.Get(made(t, out, func(c *Config) { c.Formats = []Format{YOLO} }))(t)
	text, err := os.ReadFile(filepath.Join(out, "data.yaml"))
	must.Do(t, err)
	for i, c := range Categories {
		if !strings.Contains(string(text), fmt.Sprintf("\n  %d: %s\n", i, c.Name)) {
			t.Errorf("data.yaml has no class %d, %s", i, c.Name)
		}
	}
	objects := 0
	for _, f := range framesOf(t, out) {
		lines, err := os.ReadFile(filepath.Join(out, "labels", f.Part, fmt.Sprintf("%07d.txt", f.Number)))
		must.Do(t, err)
		got := strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")
		if len(f.Objects) == 0 {
			got = nil
		}
		if len(got) != len(f.Objects) {
			t.Fatalf("frame %d: %d lines for %d objects", f.Number, len(got), len(f.Objects))
		}
		for i, line := range got {
			objects++
			var class int
			var x, y, w, h float64
			if n, err := fmt.Sscanf(line, "%d %f %f %f %f", &class, &x, &y, &w, &h); n != 5 || err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			width, height := float64(f.Width), float64(f.Height)
			box := [4]int{int(math.Round((x - w/2) * width)), int(math.Round((y - h/2) * height)),
				int(math.Round(w * width)), int(math.Round(h * height))}
			if o := f.Objects[i]; Categories[class].Name != o.Category || box != o.Box {
				t.Errorf("%q: %s in %v, want %s in %v", line, Categories[class].Name, box, o.Category, o.Box)
			}
		}
	}
	if objects < 40 {
		t.Errorf("%d objects", objects)
	}
}

// framesOf reads the index of a folder.
func framesOf(t *testing.T, folder string) (all []Frame) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, framesFile))
	must.Do(t, err)
	for line := range strings.Lines(string(text)) {
		var f Frame
		must.Do(t, json.Unmarshal([]byte(line), &f))
		all = append(all, f)
	}
	if !slices.IsSortedFunc(all, func(a, b Frame) int { return a.Number - b.Number }) {
		t.Error("frames are not in the order of their numbers")
	}
	return all
}
