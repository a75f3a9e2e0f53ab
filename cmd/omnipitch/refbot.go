package main

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// refbotFiles writes the calibration files for all cameras of refbot in a world.
type refbotFiles struct {
	*calibrationCmd
	context context.Context
	con     console.Streams
	world   *worlds.World
	files   calibration.Files
	made    []madeTable
}

// madeTable is a colour table that was made for one camera. It is reused for every camera that sees the same colours.
type madeTable struct {
	robot  *worlds.Robot
	sensor *sensors.Config
	table  *calibration.ColorTable
}

// like reports whether the camera s of the robot r sees the same colours as the camera of the table.
func (m *madeTable) like(r *worlds.Robot, s *sensors.Config) bool {
	return m.robot.Model == r.Model && reflect.DeepEqual(m.robot.Skin, r.Skin) && reflect.DeepEqual(m.sensor, s)
}

// writeRefbot writes the calibration files that refbot needs. Each robot that has raw images gets a folder with the
// robot's name. The folder has the parameters of the omni camera, and the colour tables of the omni and front cameras.
func (c *calibrationCmd) writeRefbot(ctx context.Context, con console.Streams, w *worlds.World) error {
	e := refbotFiles{calibrationCmd: c, context: ctx, con: con, world: w}
	robots := 0
	for r := range w.Robots {
		wrote := false
		for s := range w.Robots[r].Sensors {
			cfg := &w.Robots[r].Sensors[s]
			if cfg.Level != abstraction.Raw || cfg.Kind != sensors.OmniKind && cfg.Kind != sensors.CameraKind {
				continue
			}
			if err := e.write(r, s); err != nil {
				return err
			}
			wrote = true
		}
		if wrote {
			robots++
		}
	}
	if robots == 0 {
		return console.BadInputf("%s: no robot has an omni or front camera at level raw, which refbot needs", c.World)
	}
	plural := "s"
	if robots == 1 {
		plural = ""
	}
	fmt.Fprintf(con.Notes(), "%s as refbot: wrote the files of %d robot%s: refbot --calibration %s\n", c.World, robots,
		plural, *c.Out)
	whole := *c
	whole.Camera = c.World
	whole.printReplaced(con, &e.files)
	return nil
}

// write writes the files of one camera.
func (e *refbotFiles) write(robot, sensor int) error {
	r := &e.world.Robots[robot]
	one := *e.calibrationCmd
	one.Camera = r.Name + "." + r.Sensors[sensor].Name
	site, err := newCameraSite(e.world, robot, sensor)
	if err != nil {
		return console.BadInputf("%s: %w", one.Camera, err)
	}
	folder := filepath.Join(*e.Out, r.Name)
	if site.camera.Config().Mirror != nil {
		if err := e.writeMirror(one, site, filepath.Join(folder, "calib_results.txt")); err != nil {
			return err
		}
	}
	table, err := e.table(&one, site, r, &r.Sensors[sensor])
	if err != nil {
		return err
	}
	if err := table.Write(&e.files, filepath.Join(folder, table.File())); err != nil {
		return console.BadInputf("--out: %w", err)
	}
	return nil
}

// writeMirror writes the parameters of an omni camera.
func (e *refbotFiles) writeMirror(one calibrationCmd, site *cameraSite, path string) error {
	model, err := calibration.Central(site.camera.Model(), site.camera.PoseBC())
	if err != nil {
		return console.BadInputf("%s: %w", one.Camera, err)
	}
	one.Format, one.Out = "ocamcalib", &path
	fit, err := one.fit(site, model)
	if err != nil {
		return console.BadInputf("%s: --format refbot: %w", one.Camera, err)
	}
	if err := fit.write(&e.files, e.con.Data()); err != nil {
		return console.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(e.con.Notes(), "%s as ocamcalib: %s\n", one.Camera, fit.summary)
	one.warn(e.con, site, model, fit)
	return nil
}

// table returns the colour table for a camera. If a camera with the same colours has a table already, it returns that
// table.
func (e *refbotFiles) table(one *calibrationCmd, site *cameraSite, r *worlds.Robot,
	s *sensors.Config) (*calibration.ColorTable, error) {
	for i := range e.made {
		if e.made[i].like(r, s) {
			return e.made[i].table, nil
		}
	}
	table, confusion, err := one.learnColors(e.context, e.con, site)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(e.con.Notes(),
		"%s: how %s classifies pixels of raw images that it was not made from, in percent:\n%s\n",
		one.Camera, table.File(), confusion)
	e.made = append(e.made, madeTable{r, s, table})
	return table, nil
}
