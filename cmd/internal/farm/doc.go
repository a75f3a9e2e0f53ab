// Package farm lets workers render the images of a run, in other processes and on other machines, over NATS. The run is
// the same as if it rendered them itself: the images have the same bytes and arrive at the same stamps.
//
// The run is a [Host], an omnipitch.Farm. It sends its world once, and then for each instant what the images need. A
// [Worker] has a simulation of the same world, which never makes a step, and sends the images back. Each camera belongs
// to one worker or to the run itself. If its owner is silent or late for longer than the lease, the camera moves to
// another owner and the run renders the missing images. Before a worker gets a camera, it must render a frame of it
// that another process renders too. If the bytes differ, the worker is refused.
//
//	host, err := farm.New(farm.Config{Conn: conn, Version: version, Renderer: backend.Auto,
//		Lease: farm.DefaultLease, Here: true})
//	sim, err := omnipitch.New(world, omnipitch.Options{Farm: host})
//
//	worker := farm.Worker{Name: "lab-2", Version: version, NewSim: newSim}
//	drawn, err := worker.Serve(ctx, conn)
package farm
