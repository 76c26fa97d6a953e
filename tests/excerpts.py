"""Short logs in every format, written by hand: each with its format's name."""

from __future__ import annotations

from excerpts_of_networks import EXCERPTS as NETWORKS

OSU_5 = """\
mpirun -np 2 ./osu_latency
# OSU MPI Latency Test v5.3.2
# Size          Latency (us)
0                       1.07
1                       1.14
1048576               103.43

real 0m2.453s
"""

OSU_7_FULL = """\
[1,0]<stdout>:
[1,0]<stdout>:# OSU MPI-CUDA Latency Test v7.4
[1,0]<stdout>:# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)
[1,0]<stdout>:# Datatype: MPI_CHAR.
[1,0]<stdout>:# Size       Avg Latency(us)        Validation  P50 Tail Lat(us)  P99 Tail Lat(us)
[1,0]<stdout>:1                       1.07              Pass              1.05              2.50
[1,0]<stdout>:2                       1.09              Pass              1.06              2.75
"""

OSU_7_2 = """\
# OSU MPI Bandwidth Test v7.2
# Size      Bandwidth (MB/s)
# Datatype: MPI_CHAR.
1                       0.37
4194304              3698.27
"""

OSU_BCAST_FULL = """\
$ srun -n 16 ./osu_bcast -f

# OSU MPI Broadcast Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       2.25              1.50              3.75        1000
2                       2.50              1.75              4.00        1000
"""

OSU_RATE = """\
# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 8 ] [ window size: 64 ]
# Datatype: MPI_CHAR.
# Size                  MB/s        Messages/s
1                      12.34       12340000.00
2                      24.68       12340000.50
"""

OSU_WINDOWS = """\
# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 2 ] [ window size: varied ]

# Uni-directional Bandwidth (MB/sec)
# Datatype: MPI_CHAR.
#               1           2
1            1.25        2.50
2            2.75        5.25

# Message Rate Profile
#               1           2
1      1250000.00  2500000.00
2      1375000.00  2625000.00
"""

OSU_NONBLOCKING = """\
2024-05-01T12:00:00.5Z stdout F # OSU MPI Non-blocking Broadcast Latency Test v7.4
2024-05-01T12:00:00.5Z stdout F # Overall = Coll. Init + Compute + MPI_Test + MPI_Wait
2024-05-01T12:00:00.5Z stdout F
2024-05-01T12:00:00.5Z stdout F # Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
2024-05-01T12:00:00.5Z stdout F 1                      4.50              2.25              2.00             12.50
"""  # noqa: E501

OSU_BARRIER = """\
0: # OSU MPI Barrier Latency Test v5.8
0: # Avg Latency(us)
0:          36468.21
"""

OSU_INIT = """\
# OSU MPI Init Test v5.8
nprocs: 16, min: 420 ms, max: 453 ms, avg: 434 ms
"""

OSU_ONE_SIDED = """\
# OSU MPI_Put Latency Test v5.8
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Size          Latency (us)
1                     124.81
"""

IMB_4 = """\
#    Intel (R) MPI Benchmarks 4.1, MPI-1 part

# Benchmarking PingPong
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000       155.82         0.00
         2048         1000       156.80        12.46
      4194304           10     36946.39       108.26

#----------------------------------------------------------------
# Benchmarking Bcast
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            1         1000       155.25       155.49       155.37
"""

IMB_2021 = """\
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# Benchmarking Sendrecv
# #processes = 2
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec      defects
      1048576           40       100.00       104.86       102.00     20000.00         0.00
      2097152  out-of-mem.; needed X=   0.250 GB; use flag "-mem X" or MAX_MEM_USAGE>=X
# Benchmarking Barrier
# #processes = 2
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         0.50         0.75         0.60
# Benchmarking Ibcast
# #processes = 2
       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]
            1         1000         4.50         2.00         2.50        25.00
"""

IMB_MULTI = """\
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# Benchmarking Multi-PingPong
# ( 2 groups of 2 processes each running simultaneous )
# Group  0:     0    1
# Group  1:     2    3
        Group       #bytes #repetitions      t[usec]   Mbytes/sec
            0      1048576           40       104.86     10000.00
            1      1048576           40       209.72      5000.00

            0      2097152           20       209.72     10000.00
            1      2097152           20       419.43      5000.00
"""

IMB_P2P = """\
#    Intel(R) MPI Benchmarks 2021.11, P2P part
# Benchmarking PingPong
# #processes = 4
       #bytes #repetitions      t[usec]   Mbytes/sec      Msg/sec
      1048576          800       104.86     20000.00        19073
"""

NETPIPE_3 = """\
0: node-9
1: node-10
Now starting the main loop
  0:       1 bytes  32103 times -->      4.58 Mbps in       1.67 usec
  1:    8192 bytes   1000 times -->   3125.00 Mbps in      20.00 usec
"""

NETPIPE_5 = """\
  1:\x1b[0;34m       1  B   32103 times -->    4.80 Mbps  in   1.67 usecs\x1b[0m
  2:    8192  B    1000 times -->    3276.80 Mbps  in   20.00 usecs
"""

NP_OUT_2 = """\
0.0000020 3.8146973 8 1 0.0000000
0.0000200 3125.0000000 65536 8192 0.0000000
0.0000400 3125.0000000 131072 16384 0.0000000
"""

NP_OUT_3 = """\
       1 3.814697   0.00000200
    8192 3125.000000   0.00002000
   16384 3125.000000   0.00004000
"""

NP_OUT_5 = """\
        1     0.004     0.003     0.005    2.00
     8192     3.277     3.200     3.300   20.00
    16384     3.277     3.200     3.300   40.00
"""

NCCL = """\
# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807
# Collective test starting: all_reduce_perf
#  Rank  0 Group  0 Pid 440010 on node-001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 381003 on node-002 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
    33554432       8388608     float     sum      -1  1405.25   23.88   42.98       0  1406.35   23.86   42.95    N/A
    67108864      16777216     float     sum      -1   2810.5   23.88   42.98       2  2812.70   23.86   42.95       0
# Out of bounds values : 1 FAILED
"""  # noqa: E501

NCCL_OLD = """\
#                                       out-of-place                       in-place
#       size         count      type   root     time   algbw   busbw   error     time   algbw   busbw   error
#        (B)    (elements)                      (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
     1048576        262144     float            20.5   51.15   51.15   0e+00     20.7   50.66   50.66   0e+00
"""  # noqa: E501

NCCL_JSON = """\
{"version": 3, "args": ["/opt/all_gather_perf", "-b", "8", "-I", "1"], "nccl_version": 22807,
 "config": {"nthreads": 1, "ngpus": 1, "iterations": 20, "devices": [
   {"rank": 0, "hostname": "node-001", "device": 0},
   {"rank": 1, "hostname": "node-002", "device": 0}]},
 "results": [{"size": 1024, "count": 256, "type": "float", "redop": "none", "root": "    -1",
   "out_of_place": {"time": 12.5, "alg_bw": 0.08, "bus_bw": 0.04, "nwrong": 0.000000},
   "out_of_place_per_iter": {"min_us": 12.1, "p50_us": 12.4, "p99_us": 15.25, "stdev_us": 0.5},
   "in_place": {"time": 12.75, "alg_bw": 0.08, "bus_bw": 0.04, "nwrong": null}}],
 "average_bus_bandwidth": {"bandwidth": 0.04, "okay": "unchecked"}}
"""

PERFTEST_LATENCY = """\
---------------------------------------------------------------------------------------
                    Send Latency Test
 Dual-port       : OFF          Device         : mlx5_0
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          0.97           2.66         1.00                1.02             0.00            1.10                    2.66
 4       1000          0.98           3.12         1.01                1.03             0.00            1.12                    3.12
---------------------------------------------------------------------------------------
"""  # noqa: E501

PERFTEST_BANDWIDTH = """\
                    RDMA_Write BW Test
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11000.50            10900.25            0.174404
"""

NETGAUGE = """\
# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2) (./netgauge -x one_one )
1 - 0.10 0.20 0.15 0.40 (0.05 100) - 0.90 1.10 1.00 2.00 (0.10 100) - 4.00 7.27 8.00 8.88
1025 - 0.20 0.30 0.25 0.50 (0.05 100) - 1.90 2.10 2.00 3.00 (0.10 100) - 2733.00 3904.00 4100.00 4315.00
"""  # noqa: E501

NETGAUGE_QUIET = """\
1 bytes \t -> 0.90 us \t == 8.00 Mbit/s
1025 bytes \t -> 1.90 us \t == 4100.00 Mbit/s
"""

LOGGP = """\
# Info:   (0): Netgauge v2.1 MPI enabled (P=2) (./netgauge -s 1-8192 -x loggp )
Testing 1 bytes 100 times:
 L=0.6128  s=1  o_s=0.266  o_r=0.547  g=nan  G=nan (nan GiB/s) lsqu(g,G)=nan
Testing 1025 bytes 100 times:
 L=0.6128  s=1025  o_s=0.458  o_r=1.163  g=0.448  G=0.000583 (13.405 GiB/s) lsqu(g,G)=inf
"""

DURHAM = """\
1 3000000 4.36e-07
1024 1500000 1.25e-06
1048576 2980 0.000502
"""

DURHAM_STATISTICS = """\
mean = 3.916000e-08, stdv = 2.419003e-08, max = 5.400000e-05, min = 0.000000e+00
mean = 3.955667e-08, stdv = 1.100599e-07, max = 1.690000e-04, min = 0.000000e+00
"""

TACC = """\
RUNS  BYTES              RATE(MB/s)                         TIME(sec)
               MIN   --    AVG   --    MAX       MAX     --  AVG     --  MIN
 3     1024   9.2565 --  17.5355 --  33.9213    0.000211 -- 0.000111 -- 0.000058
 3     2048  32.8337 --  45.8507 --  59.1480    0.000119 -- 0.000085 -- 0.000066
"""

ITMO = """\
rank=0 len=1 L(bytes)=4 T(us)=83.2 R[bandwidth](MB/s)=0.916995 s[latency](us)=4.16
rank=1 len=1 L(bytes)=4 T(us)=49.7 R[bandwidth](MB/s)=1.53509 s[latency](us)=2.485
rank=0 len=10 L(bytes)=40 T(us)=11.7 R[bandwidth](MB/s)=65.2085 s[latency](us)=0.585
"""

CORES = """\
,,
52.25,,
53.50,49.75,
"""

CSV = """\
Algorithm,Processors,Size(bytes),Avg_Latency(us)
0,2,1,38.41
0,2,2,0.66
3,4,1,12.17
0,2,1,0.55
"""

JSON_LINES = """\
{"collective": "bcast", "ranks": 4, "size": 8, "latency_us": 1.250}
{"collective": "bcast", "ranks": 4, "size": 1024, "latency_us": 2.375, "host": {"name": "n1"}}
"""

DATA_FRAME = """\
    ranks  size  latency (us)  bandwidth (MB/s)
0       4     8          1.25              6.40
10      4  1024         40.50             25.28
"""

NODECOMM = """\
End Torque Prologue:  2.337 elapsed
Pingpong for
master:  0, 1
partner: 16, 17
1\t4.06e-06\t4.33e-06\t
2\t3.99e-06\t4.27e-06\t
Pingpong for
master:  0, 1
partner: 32, 33
1\t5.06e-06\t5.33e-06\t
"""

BENCHPRESS = """\
Profiling Standard CPU Ping-Pongs:
CPU 0 and CPU 1:\t4.100000e-07\t4.250000e-07\t6.125000e-07\t
CPU 0 and CPU 40:\t1.500000e-06\t1.625000e-06\t1.750000e-06\t


Profiling 3-Step GPU Ping-Pongs:
CPU 0 and CPU 1:\t9.000000e-06\t9.100000e-06\t
"""

CALIBRATION = """\
MPI_Send,765921,29.893914,4.250000e-04
MPI_Recv,765921,29.893914,1.455479e-03
MPI_Send,26,29.895789,2.632000e-06
MPI_Recv,26,29.895789,9.262200e-05
MPI_Send,26,29.895888,2.064000e-06
MPI_Recv,26,29.895888,1.088390e-04
"""

SMPI_FACTORS = """\
<?xml version='1.0'?>
<platform version="4">
<config id="General">
 <prop id="smpi/os" value="0:3.75e-06:1.25e-10;1420:4.5e-06:8.5e-11"/>
 <prop id="smpi/bw-factor" value="0:0.0087;65536:0.1875"/>
 <prop id="smpi/send-is-detached-thresh" value="320000"/>
</config>
</platform>
"""

MPIP = """\
@ mpiP
@ Command : ./app -n 4
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 host1
@ MPI Task Assignment      : 1 host1
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 5 ----------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Allreduce            1    0      1   0.0138   0.0138   0.0138   0.00   0.01
Allreduce            1    *      2   0.0143   0.0137    0.013   0.00   0.01
Send                 5    *    160   0.0875   0.0125     0.01   1.00   9.01
Waitall              7    *     80    0.375    0.125   0.0625   2.00  19.01
---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) -------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Send                 5    0      80      6000      6000      6000   4.8e+05
Send                 5    *     160      6000      6000      6000   9.6e+05
Allreduce            1    *       2        16        12         8        24
"""

JULIA = """\
----------------------------------------
Running benchmark IMB Pingpong with type UInt8 on 2 MPI ranks

size (bytes),iterations,time (seconds),throughput (MB/s)
0,4194304,1.25e-6,0.0
8,4194304,1.5e-6,5.333333333333333
65536,65536,1.75e-5,3744.9142857142856
----------------------------------------
----------------------------------------
Running benchmark OSU Allreduce with type Float32 on 6 MPI ranks

size (bytes),iteratons,min_time (seconds),max_time (seconds),avg_time (seconds)
4,262144,6.125e-6,6.375e-6,6.25e-6
----------------------------------------
"""

EXCERPTS: dict[str, tuple[str, str]] = {
    "osu 5": ("osu", OSU_5),
    "osu 7 full": ("osu", OSU_7_FULL),
    "osu 7.2": ("osu", OSU_7_2),
    "osu bcast": ("osu", OSU_BCAST_FULL),
    "osu rate": ("osu", OSU_RATE),
    "osu windows": ("osu", OSU_WINDOWS),
    "osu nonblocking": ("osu", OSU_NONBLOCKING),
    "osu barrier": ("osu", OSU_BARRIER),
    "osu init": ("osu", OSU_INIT),
    "osu one-sided": ("osu", OSU_ONE_SIDED),
    "imb 4": ("imb", IMB_4),
    "imb 2021": ("imb", IMB_2021),
    "imb multi": ("imb", IMB_MULTI),
    "imb p2p": ("imb", IMB_P2P),
    "netpipe 3": ("netpipe", NETPIPE_3),
    "netpipe 5": ("netpipe", NETPIPE_5),
    "np.out 2": ("netpipe", NP_OUT_2),
    "np.out 3": ("netpipe", NP_OUT_3),
    "np.out 5": ("netpipe", NP_OUT_5),
    "nccl": ("nccl-tests", NCCL),
    "nccl old": ("nccl-tests", NCCL_OLD),
    "nccl json": ("nccl-tests", NCCL_JSON),
    "perftest latency": ("perftest", PERFTEST_LATENCY),
    "perftest bandwidth": ("perftest", PERFTEST_BANDWIDTH),
    "netgauge": ("netgauge", NETGAUGE),
    "netgauge quiet": ("netgauge", NETGAUGE_QUIET),
    "loggp": ("netgauge", LOGGP),
    "durham": ("durham", DURHAM),
    "durham statistics": ("durham", DURHAM_STATISTICS),
    "tacc": ("tacc", TACC),
    "itmo": ("itmo", ITMO),
    "cores": ("core-to-core", CORES),
    "csv": ("csv", CSV),
    "json lines": ("json-lines", JSON_LINES),
    "data frame": ("aligned", DATA_FRAME),
    "nodecomm": ("nodecomm", NODECOMM),
    "benchpress": ("benchpress", BENCHPRESS),
    "calibration": ("simgrid-calibration", CALIBRATION),
    "smpi factors": ("smpi-factors", SMPI_FACTORS),
    "mpip": ("mpip", MPIP),
    "julia": ("julia", JULIA),
    **NETWORKS,
}
