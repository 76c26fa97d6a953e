"""Short logs of programs that measure networks below, beside or without OSU's and IMB's tables."""

from __future__ import annotations

_UCX_BOX = """\
+------------------------------------------------------------------------------------------+
| API:          protocol layer                                                             |
| Test:         {test:<75}|
| Message size: {size:<75}|
+------------------------------------------------------------------------------------------+
"""
_UCX_HEADING = """\
|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
"""  # noqa: E501
UCX = (
    _UCX_BOX.format(test="tag match latency", size=64)
    + _UCX_HEADING
    + """\
[thread 0]            120400      1.310     1.352     1.352       45.14      45.14      739645      739645
Final:                200000      1.310     1.375     1.350       44.25      45.25      725000      740741
$ ucx_perftest node-2 -t am_bw -s 4096 -N
"""  # noqa: E501
    + _UCX_BOX.format(test="active message bandwidth", size=4096)
    + _UCX_HEADING
    + """\
Final:             1,000,000      0.400     0.410     0.405     9500.50    9645.25     2432128     2469184
"""  # noqa: E501
)
UCX_OLD = """\
+------------------------------------------------------------------------------------------+
| API:          transport layer                                                            |
| Test:         put latency                                                                |
| Message size: 8                                                                          |
+--------------+-----------------------------+---------------------+-----------------------+
|              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
| # iterations | typical | average | overall |  average |  overall |   average |   overall |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
        586527     0.845     0.852     0.852       8.96       8.96      586527      586527
       1000000     0.844     0.848     0.851       9.00       8.97      589842      587891
"""
UCX_CSV = """\
iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
1000,1.625,1.750,1.700,4.36,4.49,571429,588235
"""

FABTESTS = """\
$ fi_rma_bw -e rdm -o read -p verbs node-2
bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      10k     625k        0.00s    121.25       0.53       1.89
1.5k    10k     14m         0.01s   2925.71       0.52       1.90
$ fi_rdm_pingpong -p verbs node-2
bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
256     10k     4.8m        0.03s    170.67       1.50       0.67
"""
FABTESTS_MACHINE = """\
---
fi_msg_bw -m -I 1000 node-2 :
- { xfer_size: 64, iterations: 1000, total: 64000, time: 0.000480, MB/sec: 133.333333, usec/xfer: 0.480000, Mxfers/sec: 2.083333 }
- { xfer_size: 100000, iterations: 1000, total: 100000000, time: 0.010000, MB/sec: 10000.125000, usec/xfer: 10.000000, Mxfers/sec: 0.100000 }
"""  # noqa: E501

_GPC_RULE = "+---------------------------------+--------------+--------------+--------------+\n"
GPCNET = f"""\
Network Tests v1.3
  Test with 64 MPI ranks (16 nodes)

  Legend
   RR = random ring communication pattern
+------------------------------------------------------------------------------+
|                            Isolated Network Tests                            |
{_GPC_RULE}\
|                            Name |          Avg |          99% |        Units |
{_GPC_RULE}\
|          RR Two-sided Lat (8 B) |          1.9 |          3.7 |         usec |
{_GPC_RULE}\
| RR Two-sided BW+Sync (131072 B) |       1750.5 |       1204.2 |   MiB/s/rank |
{_GPC_RULE}"""

_HPCC_SUMMARY = """\
Begin of Summary section.
CommWorldProcs=16
MaxPingPongLatency_usec=2.11265
RandomlyOrderedRingLatency_usec=1.67591
MinPingPongBandwidth_GBytes=1.99586
NaturallyOrderedRingBandwidth_GBytes=1.23289
RandomlyOrderedRingBandwidth_GBytes=0.700355
MinPingPongLatency_usec=0.304646
AvgPingPongLatency_usec=1.29715
End of Summary section.
"""
HPCC = f"""\
Latency-Bandwidth-Benchmark R1.5.1 (c) HLRS, University of Stuttgart
Message Length: 8
Latency   min / avg / max:   0.000500 /   0.000500 /   0.000500 msecs
Bandwidth min / avg / max:     16.000 /     16.000 /     16.000 MByte/s

Latency-Bandwidth-Benchmark R1.5.1 (c) HLRS, University of Stuttgart
Detailed benchmark results:
Ping Pong:
Latency   min / avg / max:   0.000305 /   0.001297 /   0.002113 msecs
Bandwidth min / avg / max:   1995.862 /   4022.303 /   8621.385 MByte/s
Ring:
On naturally ordered ring: latency=      0.001597 msec, bandwidth=   1232.893592 MB/s
On randomly  ordered ring: latency=      0.001676 msec, bandwidth=    700.355280 MB/s
Benchmark conditions:
 The latency   measurements were done with        8 bytes
 The bandwidth measurements were done with  2000000 bytes
 The ring communication was done in both directions on 16 processes
{_HPCC_SUMMARY}"""
HPCC_SUMMARY = _HPCC_SUMMARY

MPIGRAPH = """\
START mpiGraph v1.5
MsgSize	4096
Times	10
Window	8
Procs	3

1 of 3 (33.3%)
Send max	910.500000

Send	node-1:0	node-2:1	node-3:2\t
node-1:0 to	0.000	900.125	870.250\t
node-2:1 to	910.500	0.000	880.750\t
node-3:2 to	860.375	865.000	0.000\t

Recv	node-1:0	node-2:1	node-3:2\t
node-1:0 from	0.000	909.125	859.875\t
node-2:1 from	899.500	0.000	864.250\t
node-3:2 from	869.625	880.125	0.000\t
END mpiGraph
"""
MATRIX = """\
# bandwidth of all pairs in MiB/s
# message size: 1 MiB
# host  node-1  node-2  node-3
node-1   -       900.5   870.25
node-2   905.5   -       880.75
node-3   870.25  865.0   -
"""

REFRAME_3 = """\
2022-05-03T10:11:12|reframe 3.10.1|OsuLatency on hill:compute using gnu|jobid=41|latency=1.35|ref=1.2 (l=-0.1, u=0.1)|us
2022-05-04T10:11:40|reframe 3.10.1|OsuLatency on hill:compute using gnu|jobid=43|latency=1.45|ref=1.2 (l=-0.1, u=0.1)|us
2022-05-04T10:19:02|reframe 3.10.1|OsuLatency on hill:gpu using gnu|jobid=44|latency=1.75|ref=1.2 (l=null, u=null)|us
"""  # noqa: E501
REFRAME_4 = """\
job_completion_time|version|display_name|system|partition|environ|jobid|result|latency_value|latency_unit|latency_ref|latency_lower|latency_upper|bandwidth_value|bandwidth_unit|bandwidth_ref|bandwidth_lower|bandwidth_upper
2025-02-10T03:00:12|4.7.1|osu %msg_size=1024|hill|compute|gnu|90121|pass|1.15|us|1.2|null|0.1|11500.5|MB/s|null|null|null
2025-02-11T03:00:10|4.7.1|osu %msg_size=1024|hill|compute|gnu|90188|pass|1.25|us|1.2|null|0.1|11400.25|MB/s|null|null|null
"""  # noqa: E501

REFRAME_REPORT = """\
{
  "session_info": {"data_version": "4.2", "version": "4.10.4", "hostname": "hill-1"},
  "runs": [
    {
      "run_index": 0,
      "testcases": [
        {
          "display_name": "osu %msg_size=1024", "name": "osu %msg_size=1024",
          "system": "hill", "partition": "compute", "environ": "gnu",
          "jobid": "90121", "uuid": "9c7c812c:0:0", "result": "pass", "num_tasks": 2,
          "num_tasks_per_node": 1, "msg_size": 1024,
          "perfvalues": {
            "hill:compute:latency": [1.15, 1.2, null, 0.1, "us", "pass"],
            "hill:compute:bandwidth": [11500.5, 0, null, null, "MB/s", "pass"]
          }
        },
        {
          "display_name": "osu %msg_size=1024", "name": "osu %msg_size=1024",
          "system": "hill", "partition": "compute", "environ": "gnu",
          "jobid": "90188", "uuid": "9c7c812c:0:1", "result": "fail", "num_tasks": 2,
          "num_tasks_per_node": 1, "msg_size": 1024,
          "perfvalues": {
            "hill:compute:latency": [1.25, 1.0, null, 0.1, "us", "fail"],
            "hill:compute:bandwidth": [11400.25, 0, null, null, "MB/s", "pass"]
          }
        }
      ]
    }
  ],
  "restored_cases": []
}
"""

_MPIBENCH = (
    "{name:<20}\tBytes:\t{size:8d}\tIters:\t{n:7d}\tAvg:\t{avg}\tMin:\t{least}\tMax:\t{most}"
    "\tComm: {comm}\tRanks: {ranks}\n"
)
MPIBENCH = "".join(
    [
        "START mpiBench v1.2\n0 : node-1\n1 : node-2\n",
        _MPIBENCH.format(
            name="Bcast", size=64, n=1000, avg="  2.5500", least="  1.1250", most="  3.5000",
            comm="MPI_COMM_WORLD", ranks=4,
        ),
        _MPIBENCH.format(
            name="Bcast", size=64, n=1000, avg="  1.5500", least="  1.0250", most="  2.5000",
            comm="CartDim-1of2", ranks=2,
        ),
        _MPIBENCH.format(
            name="Bcast", size=64, n=1000, avg="  1.7500", least="  1.0750", most="  2.7500",
            comm="CartDim-2of2", ranks=2,
        ),
        "END mpiBench\n",
    ]
)  # fmt: skip

PERFTEST_JSON = """\
{
"test_info": {
"test": "RDMA_Write_BW_Test",
"Device": "mlx5_0",
"Number_of_qps": 1,
"Data_ex_method": "Ethernet"
},
"results": {
"MsgSize": 65536,
"n_iterations": 5000,
"BW_peak": 11000.50,
"BW_average": 10900.25,
"MsgRate": 0.174404
}
}
"""
RAMBLE = """\
From Workspace: osu (hash: 0123)
Experiment osu-micro-benchmarks.osu_latency.two_nodes figures of merit:
  Status = SUCCESS
  default (null) context figures of merit:
    OMB Version = v7.3
  Message Size: 8 figures of merit:
    Latency = 1.25 us
    P99 Tail Latency = 2.5 us
  Message Size: 1024 figures of merit:
    Latency = 2.375 us
"""
PICO = """\
collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,nnodes,tasks_per_node,system
ALLREDUCE,512,2048,ring,int32,2500.5,2400.25,8,1,lynx
BCAST,1024,4096,binomial,int32,500.5,400.75,8,1,lynx
"""

REPROMPI = """\
#@datatype_size_bytes=4
#@nprocs=4
#@sync=MPI_Barrier
                          test       nrep        count    runtime_sec
                     MPI_Bcast          0            2   0.0000012500
                     MPI_Bcast          1            2   0.0000011250
                     MPI_Bcast          0          256   0.0000025000
"""
REPROMPI_SUMMARY = """\
#@nprocs=8
                          test  msize_bytes total_nrep valid_nrep   mean_sec median_sec
                 MPI_Allreduce            8         10          9   0.0000025000   0.0000023750
                 MPI_Allreduce         1024         10         10   0.0000045000   0.0000043750
"""
SKAMPI = """\
# SKaMPI Version 5.0.4 rev. 355

# begin result "MPI_Bcast-nodes-length"
nodes= 2 count= 2        8       6.6       0.1       54       3.1       6.6
nodes= 4 count= 2        8       7.4       0.2       54       3.1       6.6       7.2       7.4
nodes= 2 count= 256     1024       8.5       0.1        8       3.1       8.5
# end result "MPI_Bcast-nodes-length"
"""
SKAMPI_PINGPONG = """\
# begin result "Pingpong_Send_Recv-length"
count= 2        8       3.0       0.0       80       3.0       3.0
count= 256     1024       5.0       0.1       80       5.0       5.0
# end result "Pingpong_Send_Recv-length"
"""

EXCERPTS: dict[str, tuple[str, str]] = {
    "ucx": ("ucx-perftest", UCX),
    "ucx old": ("ucx-perftest", UCX_OLD),
    "ucx csv": ("ucx-perftest", UCX_CSV),
    "fabtests": ("fabtests", FABTESTS),
    "fabtests machine": ("fabtests", FABTESTS_MACHINE),
    "gpcnet": ("gpcnet", GPCNET),
    "hpcc": ("hpcc", HPCC),
    "hpcc summary": ("hpcc", HPCC_SUMMARY),
    "mpigraph": ("mpigraph", MPIGRAPH),
    "matrix": ("pair-matrix", MATRIX),
    "perftest json": ("perftest", PERFTEST_JSON),
    "ramble": ("ramble", RAMBLE),
    "pico": ("pico", PICO),
    "reframe 3": ("reframe-perflogs", REFRAME_3),
    "reframe 4": ("reframe-perflogs", REFRAME_4),
    "reframe report": ("reframe-reports", REFRAME_REPORT),
    "mpibench": ("mpibench", MPIBENCH),
    "skampi": ("skampi", SKAMPI),
    "reprompi": ("reprompi", REPROMPI),
    "reprompi summary": ("reprompi", REPROMPI_SUMMARY),
}
