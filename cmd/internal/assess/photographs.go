package assess

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats of photographs
	_ "image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Photograph is a labelled image, with what a detector has found in it.
type Photograph struct {
	Name          string // of its file, without the ending
	Width, Height int    // pixels
	Labels, Found []Box
	path          string
}

// Box is a rectangle around an object. X and Y are the column and the row of its upper left corner; lengths are in
// pixels. Confidence lies in [0, 1]; that of a label is 1.
type Box struct {
	Class               int
	X, Y, Width, Height float64
	Confidence          float64
}

// overlap returns the intersection over union of two boxes.
func (b *Box) overlap(o *Box) float64 {
	w := min(b.X+b.Width, o.X+o.Width) - max(b.X, o.X)
	h := min(b.Y+b.Height, o.Y+o.Height) - max(b.Y, o.Y)
	if !(w > 0 && h > 0) {
		return 0
	}
	return w * h / (b.Width*b.Height + o.Width*o.Height - w*h)
}

// imageEndings are the endings of files that are photographs.
var imageEndings = []string{".jpg", ".jpeg", ".png"}

// ReadPhotographs reads the JPEG and PNG files in the folder images, in the order of their names, and the names of
// classes from its file classes.txt, one on a line. A text file beside each image holds its labels in YOLO's format.
// For an image in a folder named images, the text file may also be in the folder labels next to that folder. The folder
// detections holds text files of the same names with a confidence at the end of each line, as Ultralytics' YOLO writes
// them. An image without a file there has no detections.
func ReadPhotographs(images, detections string) (all []Photograph, classes []string, err error) {
	text, err := os.ReadFile(filepath.Join(images, "classes.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		classes = append(classes, strings.TrimSpace(line))
	}
	files, err := os.ReadDir(images)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	for _, f := range files {
		ending := filepath.Ext(f.Name())
		if f.IsDir() || !slices.Contains(imageEndings, strings.ToLower(ending)) {
			continue
		}
		p := Photograph{Name: strings.TrimSuffix(f.Name(), ending), path: filepath.Join(images, f.Name())}
		if names[p.Name] {
			return nil, nil, fmt.Errorf("%s: is the second image of this name", p.path)
		}
		names[p.Name] = true
		if err := p.read(detections); err != nil {
			return nil, nil, err
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: has no image: the names of images end with %s", images,
			strings.Join(imageEndings, ", "))
	}
	files, err = os.ReadDir(detections)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".txt"); ok && name != "classes" && !names[name] {
			return nil, nil, fmt.Errorf("%s: %s has no image of this name", filepath.Join(detections, f.Name()), images)
		}
	}
	return all, classes, nil
}

// read reads the size, the labels and the detections of a photograph.
func (p *Photograph) read(detections string) error {
	data, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer data.Close()
	c, _, err := image.DecodeConfig(data)
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	p.Width, p.Height = c.Width, c.Height
	labels := filepath.Join(filepath.Dir(p.path), p.Name+".txt")
	p.Labels, err = p.boxes(labels, false)
	if other := labelsFolder(filepath.Dir(p.path)); other != "" && errors.Is(err, fs.ErrNotExist) {
		p.Labels, err = p.boxes(filepath.Join(other, p.Name+".txt"), false)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: has no labels: %s does not exist; that of an image without objects is empty", p.path,
			labels)
	}
	if err != nil {
		return err
	}
	p.Found, err = p.boxes(filepath.Join(detections, p.Name+".txt"), true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// labelsFolder returns the folder of the labels of a folder of images: its path with the last element that is "images"
// replaced by "labels". It returns "" if there is no such element.
func labelsFolder(images string) string {
	elements := strings.Split(filepath.ToSlash(images), "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == "images" {
			elements[i] = "labels"
			return strings.Join(elements, "/")
		}
	}
	return ""
}

// boxes reads a file in YOLO's format.
func (p *Photograph) boxes(path string, confident bool) (all []Box, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		b, err := p.box(fields, confident)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		all = append(all, b)
	}
	return all, nil
}

// box parses the fields of a line in YOLO's format: the class, centre, width and height as fractions of the image's
// size from its upper left corner, and the confidence of a detection.
func (p *Photograph) box(fields []string, confident bool) (b Box, err error) {
	columns := []string{"class", "x", "y", "width", "height"}
	if confident {
		columns = append(columns, "confidence")
	}
	if len(fields) != len(columns) {
		return b, fmt.Errorf("has %d numbers: must be %s", len(fields), strings.Join(columns, " "))
	}
	if b.Class, err = strconv.Atoi(fields[0]); err != nil || b.Class < 0 {
		return b, fmt.Errorf("class = %.20s: must be a whole number of at least 0", fields[0])
	}
	x := [6]float64{5: 1}
	lowest := [6]float64{1: -1, 2: -1} // a centre may be outside of the image
	highest := [6]float64{1: 2, 2: 2, 3: 2, 4: 2, 5: 1}
	for i := 1; i < len(fields); i++ {
		x[i], err = strconv.ParseFloat(fields[i], 64)
		if err != nil || !(x[i] >= lowest[i] && x[i] <= highest[i]) {
			return b, fmt.Errorf("%s = %.20s: must be a number in [%g, %g]", columns[i], fields[i], lowest[i],
				highest[i])
		}
	}
	w, h := float64(p.Width), float64(p.Height)
	b.X, b.Y, b.Width, b.Height = (x[1]-x[3]/2)*w, (x[2]-x[4]/2)*h, x[3]*w, x[4]*h
	b.Confidence = x[5]
	return b, nil
}
