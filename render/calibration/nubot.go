package calibration

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WriteNuBot writes the files that team NuBot's omni-vision node reads to localise itself: mirror_calib.xml and ROI.xml of the camera into a
// robot's folder, which it creates; and beside that folder errortable.bin, Diff_X.bin and Diff_Y.bin of a field of a length and a width, metres: the
// distance to the nearest line, in centimetres, and its derivatives along x and y. What is nearer to the image's centre than smallRadius, in
// pixels, is the robot itself. Sources: omniimage.cpp, transfer.cpp and optimise.cpp of the team's nubot_ws.
func WriteNuBot(folder string, g Ground, smallRadius int, marks []spatial.Mark, length, width float64) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, fields := range map[string][]field{
		"mirror_calib.xml": {
			{"center_coloum", g.CenterColumn}, {"center_row", g.CenterRow}, {"para_a", g.A}, {"para_b", g.B},
			{"correction_x", 100 * g.CorrectionX}, {"correction_y", 100 * g.CorrectionY}, {"max_radius", g.MaxRadius},
		},
		// The whole image is published: rows and columns count from its corner and are all there are. (The team's own tool crops the
		// image, and the centre is relative to what is left.)
		"ROI.xml": {
			{"start_row", 0}, {"start_column", 0},
			{"center_point_row", int(math.Round(g.CenterRow))}, {"center_point_column", int(math.Round(g.CenterColumn))},
			{"big_radius", g.bigRadius()}, {"small_radius", smallRadius}, {"rows", g.Height}, {"cols", g.Width},
		},
	} {
		if err := write(filepath.Join(folder, name), func(w io.Writer) error { return writeXML(w, fields) }); err != nil {
			return err
		}
	}
	return writeTables(filepath.Dir(folder), marks, length, width)
}

// bigRadius returns the radius of the largest circle of pixels that show the floor within reach.
func (g *Ground) bigRadius() int {
	row, col := int(math.Round(g.CenterRow)), int(math.Round(g.CenterColumn))
	return min(int(g.MaxRadius), row, g.Height-1-row, col, g.Width-1-col)
}

// Covering returns the radius around the centre, pixels, of the smallest circle that covers pixels, by rows from the top.
func (g *Ground) Covering(pixels []bool) int {
	radius := 0.0
	for i, in := range pixels {
		if in {
			radius = math.Max(radius, math.Hypot(float64(i%g.Width)-g.CenterColumn, float64(i/g.Width)-g.CenterRow))
		}
	}
	return int(math.Ceil(radius))
}

// field is one number of OpenCV's XML storage: an int or a float64.
type field struct {
	name  string
	value any
}

func writeXML(w io.Writer, fields []field) error {
	fmt.Fprint(w, "<?xml version=\"1.0\"?>\n<opencv_storage>\n")
	for _, f := range fields {
		text := fmt.Sprint(f.value)
		if x, ok := f.value.(float64); ok {
			text = numbers("", x)
		}
		fmt.Fprintf(w, "<%s>%s</%s>\n", f.name, text, f.name)
	}
	_, err := fmt.Fprint(w, "</opencv_storage>\n")
	return err
}

// table is a number for every centimetre of a field and a metre around it, by rows of equal y.
type table struct {
	columns, rows int
	values        []float64
}

// newTable tabulates f(x, y), metres from the field's centre.
func newTable(length, width float64, f func(x, y float64) float64) *table {
	const around = 1 // metres, as the node takes it to be
	const perMetre = 100
	t := &table{columns: int(math.Round(perMetre*(length+2*around))) + 1, rows: int(math.Round(perMetre*(width+2*around))) + 1}
	for j := range t.rows {
		for i := range t.columns {
			t.values = append(t.values, f((float64(i)-float64(t.columns-1)/2)/perMetre, (float64(j)-float64(t.rows-1)/2)/perMetre))
		}
	}
	return t
}

// at returns the value at a place, beyond the edges that of the edge.
func (t *table) at(i, j int) float64 {
	return t.values[min(max(j, 0), t.rows-1)*t.columns+min(max(i, 0), t.columns-1)]
}

func writeTables(dir string, marks []spatial.Mark, length, width float64) error {
	distance := newTable(length, width, func(x, y float64) float64 {
		nearest := math.Inf(1)
		for k := range marks {
			nearest = math.Min(nearest, marks[k].Distance(x, y))
		}
		return 100 * nearest
	})
	for name, value := range map[string]func(i, j int) float64{
		"errortable.bin": distance.at,
		"Diff_X.bin":     func(i, j int) float64 { return (distance.at(i+1, j) - distance.at(i-1, j)) / 2 },
		"Diff_Y.bin":     func(i, j int) float64 { return (distance.at(i, j+1) - distance.at(i, j-1)) / 2 },
	} {
		err := write(filepath.Join(dir, name), func(w io.Writer) error {
			var bytes [8]byte
			for j := range distance.rows {
				for i := range distance.columns {
					binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(value(i, j)))
					if _, err := w.Write(bytes[:]); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a file through a buffer.
func write(path string, f func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := bufio.NewWriter(file)
	if err := f(w); err != nil {
		return err
	}
	return w.Flush()
}
