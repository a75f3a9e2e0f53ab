package sweep

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Keep writes the outcome into the folder: results.csv, results.json and report.html, and for failed runs the
// recordings and world files that the folder does not have yet. If a recording cannot be fetched, Keep still writes
// everything else. It then returns an error that names the recording.
func (f *Folder) Keep(ctx context.Context, o *Outcome) error {
	var lacking error
	for _, r := range o.Results {
		if r == nil || r.Stored == "" {
			continue
		}
		r.Recording = "recordings/" + r.Job + ".mcap"
		path := f.Path(filepath.FromSlash(r.Recording))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		data, err := o.Fetch(ctx, r)
		if err != nil {
			r.Recording = ""
			if lacking == nil {
				lacking = fmt.Errorf("recording of %s: %w", r.Job, err)
			}
			continue
		}
		if err := f.write(r.Recording, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return err
		}
	}
	if err := f.writeReruns(o); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"results.csv", o.WriteCSV}, {"results.json", o.WriteJSON}, {"report.html", o.WriteHTML}} {
		if err := f.write(file.name, file.write); err != nil {
			return err
		}
	}
	return lacking
}
