package bench

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// merge puts the curves of plots of one name into one.
func merge(all, more []experiment.Plot) []experiment.Plot {
next:
	for _, p := range more {
		for i := range all {
			if all[i].Name == p.Name {
				all[i].Curves = append(all[i].Curves, p.Curves...)
				continue next
			}
		}
		all = append(all, p)
	}
	return all
}

// plotFlag says where plots are written.
type plotFlag struct {
	Plot *string `placeholder:"DIR" help:"Write plots here, each as PNG and as SVG; the directory is made if need be."`
}

// outputs is where results go beside stdout.
type outputs struct {
	plotFlag
	pageFlag
}

// wanted tells whether anybody will see plots.
func (o *outputs) wanted() bool { return o.Plot != nil || o.HTML != nil }

// check makes sure, before anything is measured, that all can be written.
func (o *outputs) check() error { return errors.Join(o.pageFlag.check(), makePlotDir(o.Plot)) }

// write writes plots, and the page of a report.
func (o *outputs) write(r *Report, all []experiment.Plot) error {
	if o.Plot != nil {
		if err := writePlots(*o.Plot, all); err != nil {
			return err
		}
	}
	return o.pageFlag.write(r, all)
}

// makePlotDir makes sure, before anything is measured, that plots can be written; nil is nowhere.
func makePlotDir(dir *string) error {
	switch {
	case dir == nil:
		return nil
	case *dir == "":
		return output.NoFolder("--plot")
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return console.BadInputf("--plot: %w", err) // which names it
	}
	return nil
}

// writePlots writes every plot as DIR/NAME.png and DIR/NAME.svg.
func writePlots(dir string, all []experiment.Plot) error {
	for i := range all {
		for _, format := range page.Formats {
			if err := page.Write(filepath.Join(dir, all[i].Name+format), all[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}
