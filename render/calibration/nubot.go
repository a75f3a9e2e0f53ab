package calibration

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WriteNuBot writes the files with which team NuBot's omni-vision node localises a robot. It creates the robot's
// folder, with mirror_calib.xml and ROI.xml for the robot's camera. Next to that folder it writes errortable.bin,
// Diff_X.bin and Diff_Y.bin for a field of the given length and width, metres. These three files hold the distance to
// the nearest line, in centimetres, and the derivatives of that distance along x and y. Pixels nearer to the image's
// centre than smallRadius count as showing the robot itself. Sources: omniimage.cpp, transfer.cpp and optimise.cpp of
// the team's nubot_ws.
func WriteNuBot(files *Files, folder string, g Ground, smallRadius int, marks []spatial.Mark, length,
	width float64) error {
	for _, file := range []struct {
		name   string
		fields []field
	}{
		{"mirror_calib.xml", []field{
			{"center_coloum", g.CenterColumn}, {"center_row", g.CenterRow}, {"para_a", g.A}, {"para_b", g.B},
			{"correction_x", 100 * g.CorrectionX}, {"correction_y", 100 * g.CorrectionY}, {"max_radius", g.MaxRadius},
		}},
		// The image is published uncropped, so rows and columns count from its corner. (The team's own tool crops the
		// image, and counts the centre from the corner of the cropped image.)
		{"ROI.xml", []field{
			{"start_row", 0}, {"start_column", 0},
			{"center_point_row", int(math.Round(g.CenterRow))},
			{"center_point_column", int(math.Round(g.CenterColumn))},
			{"big_radius", g.bigRadius()}, {"small_radius", smallRadius}, {"rows", g.Height}, {"cols", g.Width},
		}},
	} {
		if err := files.Write(filepath.Join(folder, file.name),
			func(w io.Writer) error { return writeXML(w, file.fields) }); err != nil {
			return err
		}
	}
	return writeTables(files, filepath.Dir(folder), marks, length, width)
}

// bigRadius returns the radius in pixels of the largest circle around the centre whose pixels all show the floor within
// Reach.
func (g *Ground) bigRadius() int {
	row, col := int(math.Round(g.CenterRow)), int(math.Round(g.CenterColumn))
	return min(int(g.MaxRadius), row, g.Height-1-row, col, g.Width-1-col)
}

// Covering returns the radius, in pixels, of the smallest circle around the centre that covers all pixels that show the
// robot itself. own holds a value for each pixel, in rows from the top: true if the pixel shows the robot. Covering
// fails if the circle leaves no floor visible.
func (g *Ground) Covering(own []bool) (radius int, err error) {
	const inside = 3 // number of pixels by which the node stays inside the big circle
	r := 0.0
	for i, in := range own {
		if in {
			r = math.Max(r, math.Hypot(float64(i%g.Width)-g.CenterColumn, float64(i/g.Width)-g.CenterRow))
		}
	}
	if radius = int(math.Ceil(r)); radius >= g.bigRadius()-inside {
		return radius, fmt.Errorf("the robot itself reaches %d pixels from the middle, beyond all of the floor that "+
			"the image shows around it", radius)
	}
	return radius, nil
}

// field is a named value in OpenCV's XML storage: an int or a float64.
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

// table holds a value for every square centimetre of a field and of a border around it that is 1 m wide. Each row has
// the same y.
type table struct {
	columns, rows int
	values        []float64
}

// newTable tabulates f(x, y). The coordinates are in metres, relative to the field's centre.
func newTable(length, width float64, f func(x, y float64) float64) *table {
	const around = 1 // width of the border that the node assumes, metres
	const perMetre = 100
	t := &table{columns: int(math.Round(perMetre*(length+2*around))) + 1,
		rows: int(math.Round(perMetre*(width+2*around))) + 1}
	for j := range t.rows {
		for i := range t.columns {
			t.values = append(t.values, f((float64(i)-float64(t.columns-1)/2)/perMetre,
				(float64(j)-float64(t.rows-1)/2)/perMetre))
		}
	}
	return t
}

// at returns the value of the cell in column i and row j. A cell beyond the edges has the value of the nearest cell at
// the edge.
func (t *table) at(i, j int) float64 {
	return t.values[min(max(j, 0), t.rows-1)*t.columns+min(max(i, 0), t.columns-1)]
}

// nearby returns a function that takes a point and lists the marks that may be nearest to it. The function works by
// squares with a side of 0.25 m: for each square it caches the marks that may be nearest to any point in the square.
func nearby(marks []spatial.Mark) func(x, y float64) []*spatial.Mark {
	const side = 0.25
	squares := map[[2]int][]*spatial.Mark{}
	return func(x, y float64) []*spatial.Mark {
		square := [2]int{int(math.Floor(x / side)), int(math.Floor(y / side))}
		near, ok := squares[square]
		if !ok {
			cx, cy := (float64(square[0])+0.5)*side, (float64(square[1])+0.5)*side
			nearest := math.Inf(1)
			for i := range marks {
				nearest = math.Min(nearest, marks[i].Distance(cx, cy))
			}
			for i := range marks {
				// A corner of the square is half a diagonal from its centre. So it may be nearer to one mark by half a
				// diagonal than the centre is, and farther from another mark.
				if marks[i].Distance(cx, cy) <= nearest+math.Sqrt2*side {
					near = append(near, &marks[i])
				}
			}
			squares[square] = near
		}
		return near
	}
}

func writeTables(files *Files, dir string, marks []spatial.Mark, length, width float64) error {
	near := nearby(marks)
	distance := newTable(length, width, func(x, y float64) float64 {
		nearest := math.Inf(1)
		for _, m := range near(x, y) {
			nearest = math.Min(nearest, m.Distance(x, y))
		}
		return 100 * nearest
	})
	for _, file := range []struct {
		name  string
		value func(i, j int) float64
	}{
		{"errortable.bin", distance.at},
		{"Diff_X.bin", func(i, j int) float64 { return (distance.at(i+1, j) - distance.at(i-1, j)) / 2 }},
		{"Diff_Y.bin", func(i, j int) float64 { return (distance.at(i, j+1) - distance.at(i, j-1)) / 2 }},
	} {
		err := files.Write(filepath.Join(dir, file.name), func(w io.Writer) error {
			var bytes [8]byte
			for j := range distance.rows {
				for i := range distance.columns {
					binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(file.value(i, j)))
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
