package calibration

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WriteNuBot writes the files from which team NuBot's omni-vision node localises a robot. It creates the robot's
// folder, with mirror_calib.xml and ROI.xml for its camera. Next to that folder it writes errortable.bin, Diff_X.bin
// and Diff_Y.bin for a field of the given length and width, metres. They hold the distance to the nearest line, in
// centimetres, and the derivatives of that distance along x and y. Pixels nearer to the image's centre than smallRadius
// show the robot itself. Sources: omniimage.cpp, transfer.cpp and optimise.cpp of the team's nubot_ws.
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
		// The image is published uncropped: rows and columns count from its corner. (The team's own tool crops the
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

// bigRadius returns the radius, pixels, of the largest circle around the centre whose pixels all show the floor within
// Reach.
func (g *Ground) bigRadius() int {
	row, col := int(math.Round(g.CenterRow)), int(math.Round(g.CenterColumn))
	return min(int(g.MaxRadius), row, g.Height-1-row, col, g.Width-1-col)
}

// Covering returns the radius, pixels, of the smallest circle around the centre that covers all pixels that show the
// robot itself. own says for each pixel, in rows from the top, whether it does. Covering fails if the circle leaves no
// floor visible.
func (g *Ground) Covering(own []bool) (radius int, err error) {
	const inside = 3 // pixels by which the node stays inside of the big circle
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
