package calibration

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// noise is the largest absolute value that a parameter may have after a fit due to rounding errors, if its true value
// is 0.
const noise = 1e-12

func numbers(separator string, x ...float64) string {
	s := make([]string, len(x))
	for i, v := range x {
		if math.Abs(v) < noise {
			v = 0
		}
		s[i] = strconv.FormatFloat(v, 'g', 17, 64)
		if !strings.ContainsAny(s[i], ".eI") {
			s[i] += "." // OpenCV infers a matrix's type from its text
		}
	}
	return strings.Join(s, separator)
}

// WriteOpenCV writes a file for cv::FileStorage: image_width, image_height, camera_matrix, distortion_coefficients and
// fisheye_model. fisheye_model is 1 if distortion_coefficients are for cv::fisheye, and 0 if they are for OpenCV's
// other functions.
func WriteOpenCV(out io.Writer, camera string, l Lens) error {
	w := bufio.NewWriter(out)
	matrix := func(name string, rows, cols int, data ...float64) {
		fmt.Fprintf(w, "%s: !!opencv-matrix\n   rows: %d\n   cols: %d\n   dt: d\n   data: [ %s ]\n", name, rows, cols,
			numbers(", ", data...))
	}
	fmt.Fprintf(w, "%%YAML:1.0\n---\n# %s: %s\ncamera_name: \"%s\"\nimage_width: %d\nimage_height: %d\n", camera, &l,
		camera, l.Width, l.Height)
	matrix("camera_matrix", 3, 3, l.FX, 0, l.CX, 0, l.FY, l.CY, 0, 0, 1)
	if l.Fisheye() {
		fmt.Fprintln(w, "fisheye_model: 1")
		matrix("distortion_coefficients", 4, 1, l.D...)
	} else {
		fmt.Fprintln(w, "fisheye_model: 0")
		matrix("distortion_coefficients", 1, len(l.D), l.D...)
	}
	fmt.Fprintf(w, "avg_reprojection_error: %s\n", numbers("", l.RMS))
	return w.Flush()
}

// WriteROS writes a file for ROS's camera_info_manager and camera_calibration.
func WriteROS(out io.Writer, camera string, l Lens) error {
	w := bufio.NewWriter(out)
	matrix := func(name string, rows, cols int, data ...float64) {
		fmt.Fprintf(w, "%s:\n  rows: %d\n  cols: %d\n  data: [%s]\n", name, rows, cols, numbers(", ", data...))
	}
	fmt.Fprintf(w, "# %s: %s\nimage_width: %d\nimage_height: %d\ncamera_name: %s\n", camera, &l, l.Width, l.Height,
		strings.ReplaceAll(camera, ".", "_"))
	matrix("camera_matrix", 3, 3, l.FX, 0, l.CX, 0, l.FY, l.CY, 0, 0, 1)
	fmt.Fprintf(w, "distortion_model: %s\n", l.Model)
	matrix("distortion_coefficients", 1, len(l.D), l.D...)
	matrix("rectification_matrix", 3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	matrix("projection_matrix", 3, 4, l.FX, 0, l.CX, 0, 0, l.FY, l.CY, 0, 0, 0, 1, 0)
	return w.Flush()
}

// WriteOCamCalib writes calib_results.txt as the OCamCalib toolbox exports it. The format has no residual.
func WriteOCamCalib(out io.Writer, o OCam) error {
	w := bufio.NewWriter(out)
	list := func(title string, values ...float64) {
		fmt.Fprintf(w, "#%s\n\n%d %s\n\n", title, len(values), numbers(" ", values...))
	}
	list("polynomial coefficients for the DIRECT mapping function (ocam_model.ss in MATLAB). These are used by "+
		"cam2world", o.Direct...)
	list("polynomial coefficients for the inverse mapping function (ocam_model.invpol in MATLAB). These are used by "+
		"world2cam", o.Inverse...)
	fmt.Fprintf(w, "#center: \"row\" and \"column\", starting from 0 (C convention)\n\n%s\n\n",
		numbers(" ", o.CenterRow, o.CenterColumn))
	fmt.Fprintf(w, "#affine parameters \"c\", \"d\", \"e\"\n\n%s\n\n", numbers(" ", o.C, o.D, o.E))
	fmt.Fprintf(w, "#image size: \"height\" and \"width\"\n\n%d %d\n", o.Height, o.Width)
	return w.Flush()
}

// String formats a residual with its unit.
func (r Residual) String(unit string) string {
	return fmt.Sprintf("left over %.2g %s rms, %.2g at most, of %d rays", r.RMS, unit, r.Max, r.N)
}

// Files writes files. Replaced lists the paths of files that existed with different content and were replaced.
type Files struct{ Replaced []string }

// Write creates the folders of a path, and then a file there. The second argument is a function that writes the file's
// content.
func (f *Files) Write(path string, text func(io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	replaced := false
	// pipes and devices have no content to replace
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		before, err := os.ReadFile(path)
		replaced = err != nil || !bytes.Equal(before, b.Bytes())
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	if replaced {
		f.Replaced = append(f.Replaced, path)
	}
	return nil
}
