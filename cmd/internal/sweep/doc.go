// Package sweep runs worlds × points × seeds, where a point gives keys of the worlds other values: one job is what
// omnipitch test does for one world and one seed. Jobs lie in a work queue of NATS JetStream, so that any number of
// processes take them, and what has been done stays done whatever ends:
//
//	plan, err := sweep.Load(ctx, "friction.toml", checks...)   // the file, and each of its worlds at each of its points
//	server, err := cluster.Serve(cluster.ServerConfig{Folder: dir}) // in this process, without a port
//	results, err := (&sweep.Coordinator{...}).Run(ctx)
//
// A job carries its world as a bundle, and no path. Its result is created once, under the job's key; one that comes
// later is compared with it and dropped. Package sweep knows no flags, and prints nothing but tables.
package sweep
