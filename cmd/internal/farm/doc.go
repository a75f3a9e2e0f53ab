// Package farm has images of a run drawn by workers, in other processes and on other machines, over NATS. The run goes
// on as if it drew them itself: they have the same bytes and come at the same stamps.
//
// The run is a [Host], an omnipitch.Farm. It sends its world once, and then for each instant what the images are taken
// of; a [Worker] has a simulation of the same world, which never takes a step, and sends the images back. Each camera
// belongs to one of them, or to the run itself, and goes to another when its owner is silent or late for longer than
// the lease; what was owed then is drawn by the run. Before a worker gets a camera it has to draw a frame of it that
// somebody else draws too, to the last byte alike; else it is refused.
//
//	host, err := farm.New(farm.Config{Conn: conn, Version: version, Renderer: backend.Auto, Lease: farm.DefaultLease, Here: true})
//	sim, err := omnipitch.New(world, omnipitch.Options{Farm: host})
//
//	worker := farm.Worker{Name: "lab-2", Version: version, NewSim: newSim}
//	drawn, err := worker.Serve(ctx, conn)
package farm
